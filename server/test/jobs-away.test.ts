import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rightNames as rights } from '@filestead/contract'
import { draftsBelow, treeOf } from './disk.ts'
import { jobsOf } from './jobs.ts'
import { startProgram, until } from './process.ts'

const count = 3000

function fill(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < count; index += 1)
    writeFileSync(join(folder, `${index}.txt`), crypto.getRandomValues(new Uint8Array(8192)))
}

test.each(['compress', 'checksum', 'extract'] as const)(
  'a job (%s) that goes on after a crash waits for a disk that comes later than the server',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'filestead-away-'))
    const [other, away] = [join(folder, 'other'), join(folder, 'away')]
    fill(join(other, 'box'))
    await using program = await startProgram({ flags: ['--mount', `Other=${other}`] })
    const body = JSON.stringify({ subject: 'everybody', mount: 2, folder: '/', rights })
    expect((await program.ask('/api/grants', { method: 'POST', body })).status).toBe(201)
    const begin = (request: object) => jobsOf(program.ask).begin(request as never)
    const end = (id: string) => jobsOf(program.ask).until(id, 'done', 'failed', 'asking')
    if (kind === 'extract') {
      const packed = await begin({ kind: 'compress', items: ['/Other/box'], to: '/Other/box.zip', format: 'zip' })
      expect((await end(packed.id)).state).toBe('done')
    }
    const requests = {
      compress: { kind, items: ['/Other/box'], to: '/Files/box.tar.gz', format: 'tar.gz' },
      checksum: { kind, items: ['/Other/box'], to: '/Files/box.sha256', algorithm: 'sha256' },
      extract: { kind, from: '/Other/box.zip', to: '/Files/out' },
    }
    const { id } = await begin(requests[kind])
    await until(() => draftsBelow(program.root).length > 0)
    await program.kill()
    renameSync(other, away)
    await program.start()
    await until(async () => (await program.ask('/api/resources/Other/')).status === 503)
    expect((await jobsOf(program.ask).find(id)).state).not.toBe('failed')
    renameSync(away, other)
    const job = await end(id)
    expect([job.state, job.problem]).toEqual(['done', undefined])
    if (kind === 'extract') expect(Object.keys(treeOf(join(program.root, 'out'))).length).toBeGreaterThanOrEqual(count)
    rmSync(folder, { recursive: true })
  },
  120_000,
)
