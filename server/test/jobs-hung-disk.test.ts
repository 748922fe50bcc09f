import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rightNames as rights } from '@filestead/contract'
import { copying, jobsOf } from './jobs.ts'
import { startProgram, until } from './process.ts'

const home = mkdtempSync(join(tmpdir(), 'filestead-hung-'))
const disk = join(home, 'disk')
const succeeds = (...command: string[]) => {
  try {
    return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).success
  } catch {
    return false
  }
}

/** A file system in a file, which the kernel can be told to freeze: whoever writes to it then waits. */
const canFreeze = (() => {
  const image = join(home, 'image')
  mkdirSync(disk)
  writeFileSync(image, '')
  truncateSync(image, 64 << 20)
  return (
    succeeds('mkfs.ext4', '-q', '-m', '0', image) &&
    succeeds('mount', '-o', 'loop', image, disk) &&
    succeeds('fsfreeze', '-f', disk) &&
    succeeds('fsfreeze', '-u', disk)
  )
})()
if (!canFreeze) console.warn('No disk can be frozen here: a job on one that stops answering is not tried')

afterAll(() => {
  succeeds('fsfreeze', '-u', disk)
  succeeds('umount', '-l', disk)
  rmSync(home, { recursive: true, force: true })
})

test.if(canFreeze)(
  'a copy to a disk that stops answering says so, keeps no other work waiting, and goes on when the disk does',
  async () => {
    await using program = await startProgram({ flags: ['--mount', `Slow=${disk}`] })
    const body = JSON.stringify({ subject: 'everybody', mount: 2, folder: '/', rights })
    expect((await program.ask('/api/grants', { method: 'POST', body })).status).toBe(201)
    const files = Array.from({ length: 300 }, (_, index) => `${index}.bin`)
    mkdirSync(join(program.root, 'box'))
    for (const name of files) writeFileSync(join(program.root, 'box', name), `${name} `.repeat(8000))
    const jobs = jobsOf(program.ask)
    const { id } = await jobs.begin(copying('/Files/box', '/Slow/box'))
    try {
      // Not the hidden folder alone: at least one file has come.
      await until(() => readdirSync(disk, { recursive: true }).length > 5)
      expect(succeeds('fsfreeze', '-f', disk)).toBe(true)
      expect(['running', 'queued']).toContain((await jobs.find(id)).state)
      // Beside it: a listing, a file that is written, and another job.
      expect((await program.ask('/api/resources/Files/box')).status).toBe(200)
      const other = { method: 'POST', body: 'beside' }
      expect((await program.ask('/api/resources/Files/beside.txt', other)).status).toBe(200)
      expect(await jobs.run(copying('/Files/beside.txt', '/Files/copy.txt'))).toMatchObject({ state: 'done' })
      await until(async () => (await jobs.find(id)).problem?.code === 'unavailable')
    } finally {
      succeeds('fsfreeze', '-u', disk)
    }
    const job = await jobs.until(id, 'done', 'failed')
    expect(job).toMatchObject({ state: 'done', failures: [] })
    expect(job.problem).toBeUndefined()
    for (const name of files)
      expect(readFileSync(join(disk, 'box', name), 'utf8')).toBe(readFileSync(join(program.root, 'box', name), 'utf8'))
  },
  120_000,
)
