import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { tarOf, zipOf } from '../src/archives/reading/archives.fixture.ts'
import { countBelow, draftsBelow } from './disk.ts'
import { jobsOf } from './jobs.ts'
import { startProgram, until } from './process.ts'

const files = 1000
const large = randomBytes(16 << 20)
const entries = [
  ...Array.from({ length: files }, (_, at) => ({ name: `${at % 9}/${at}.txt`, content: `${at} `.repeat(at % 700) })),
  { name: 'large.bin', content: large },
  { name: 'last.txt', content: 'last' },
]

function requireWhole(folder: string): void {
  for (const { name, content } of entries) {
    const found = readFileSync(join(folder, name))
    if (!found.equals(Buffer.from(content))) throw new Error(`${name} is another file`)
  }
}

test.each([
  ['zip', 'a new folder', zipOf(entries)],
  ['zip', 'a folder that is there', zipOf(entries)],
  ['tar.gz', 'a new folder', gzipSync(tarOf(entries), { level: 1 })],
])(
  'the extraction of a %s into %s goes on by itself after each kill of the server',
  async (_, target, bytes) => {
    await using program = await startProgram()
    writeFileSync(join(program.root, 'packed.bin'), bytes)
    const folder = join(program.root, 'out')
    const isThere = target !== 'a new folder'
    if (isThere) {
      mkdirSync(folder)
      writeFileSync(join(folder, 'mine.txt'), 'mine')
    }
    const jobs = jobsOf(program.ask)
    const { id } = await jobs.begin({ kind: 'extract', from: '/packed.bin', to: '/out', onConflict: 'ask' })
    for (const part of [1, files / 2]) {
      await until(() => countBelow(program.root) > part + 1)
      await program.kill()
      // What shows is whole: nothing at all, or everything once it is published.
      if (!isThere && existsSync(folder)) requireWhole(folder)
      await program.start()
    }
    const job = await jobsOf(program.ask).until(id, 'done', 'failed', 'asking')
    expect(job).toMatchObject({ state: 'done', failures: [], done: { files: entries.length } })
    requireWhole(folder)
    expect(countBelow(folder)).toBe(entries.length + (isThere ? 1 : 0))
    await until(() => draftsBelow(program.root).length === 0)
  },
  120_000,
)

test('what was extracted before a clean stop is not written again', async () => {
  await using program = await startProgram()
  writeFileSync(join(program.root, 'packed.bin'), zipOf(entries))
  const { id } = await jobsOf(program.ask).begin({
    kind: 'extract',
    from: '/packed.bin',
    to: '/out',
    onConflict: 'ask',
  })
  const draft = join(program.root, `.filestead-draft-${id}.0`)
  await until(() => existsSync(join(draft, '0')) || existsSync(join(program.root, 'out')))
  await program.terminate()
  const inodes = existsSync(draft) ? inodesIn(draft) : new Map()
  await program.start()
  expect((await jobsOf(program.ask).until(id, 'done', 'failed', 'asking')).state).toBe('done')
  const after = inodesIn(join(program.root, 'out'))
  const again = [...inodes].filter(([name, inode]) => name.endsWith('.txt') && after.get(name) !== inode)
  // At most what one step puts into the hidden folder, which was not noted yet.
  expect(again.length).toBeLessThanOrEqual(256)
  requireWhole(join(program.root, 'out'))
}, 120_000)

const inodesIn = (folder: string): Map<string, number> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [name, statSync(join(folder, name)).ino]),
  )
