import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parsePath } from '../path.ts'
import { draftedText, draftToTheEnd, openDrafting, recordsInFile } from './drafting.fixture.ts'
import { fixtureServer } from './servers.fixture.ts'

const program = join(import.meta.dirname, 'drafting.fixture.ts')

test.each([
  ['parts of an upload', draftedText.length],
  ['objects of their own', 0],
])('a process that is killed at any request leaves a draft of %s that another one ends', async (_kind, length) => {
  const given = await fixtureServer()
  const { server } = given
  server.leastPart = 1000
  const folder = mkdtempSync(join(tmpdir(), 'filestead-killed-'))
  let wasKilled = true
  for (let number = 1; wasKilled; number += 2) {
    const drafting = {
      place: { ...given.place, prefix: `mount-${number}` },
      keys: given.keys,
      file: join(folder, `${number}.json`),
      length,
    }
    const child = Bun.spawn([process.execPath, program, JSON.stringify(drafting)], { stderr: 'inherit' })
    let count = 0
    server.fault = () => {
      count += 1
      if (count < number) return undefined
      child.kill('SIGKILL')
      // The last request may or may not be done.
      return number % 4 === 1 ? 'cut before' : 'cut after'
    }
    await child.exited
    server.fault = () => undefined
    wasKilled = count >= number
    const seen = server.objects.get(`mount-${number}/a`)?.bytes.toString()
    expect([undefined, draftedText]).toContain(seen)
    const files = openDrafting(drafting)
    const isLeft = (await files.openDraft(parsePath('/a'), 'id').catch(() => undefined)) !== undefined
    if (isLeft || seen === undefined) await draftToTheEnd(drafting)
    expect(server.objects.get(`mount-${number}/a`)?.bytes.toString()).toBe(draftedText)
    expect((await files.stat(parsePath('/a')))?.seconds).toBe(5)
    // What another try of the cleanup finds.
    for (const { path, id } of await recordsInFile(drafting.file).all()) await files.dropDraft(path, id)
    const left = [...server.objects.keys()].filter(
      (key) => key.startsWith(`mount-${number}/.`) && !key.includes('/probe/'),
    )
    expect([left, [...server.uploads.values()].filter(({ key }) => key === `mount-${number}/a`)]).toEqual([[], []])
  }
  rmSync(folder, { recursive: true })
  given.stop()
})
