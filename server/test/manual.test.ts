import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { type Before, type Block, blocksOf, World } from './manual-world.ts'
import { run, serve } from './process.ts'

const repository = join(import.meta.dirname, '../..')
const manual = readdirSync(join(repository, 'docs/operating')).filter((name) => name.endsWith('.md'))
const pages = ['README.md', ...manual.sort().map((name) => `docs/operating/${name}`)]

/** Pages that begin on a machine without Filestead. All others are about one where it is installed. */
const fresh: Readonly<Record<string, Before>> = {
  'README.md': { hasFileBrowser: true },
  'docs/operating/install.md': {},
  'docs/operating/systemd.md': {},
  'docs/operating/container.md': {},
}

/** What is shown and not typed. A block without a language counts as commands. */
const shown = ['yaml', 'ini', 'json', 'nginx', 'dockerfile', 'text']

const commands = pages.flatMap(blocksOf).filter(({ language }) => !shown.includes(language))
const skipped = commands.filter(({ skip }) => skip !== undefined)

test('blocks of the manual are commands, or name a language that is only shown', () => {
  const others = commands.filter(({ language }) => language !== 'sh' && language !== '')
  expect(others.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([])
  for (const { page, line, skip } of skipped) console.log(`not run: ${page}:${line}, ${skip}`)
  expect(skipped.length).toBeLessThan(commands.length / 10)
})

for (const page of pages) {
  const blocks = commands.filter((block) => block.page === page && block.skip === undefined)
  // Up to ten servers are started, one after the other.
  if (blocks.length > 0) test(`every command of ${page} works as it is written`, () => runAll(page, blocks), 240_000)
}

test('a release keeps its database outside of its folder, which the next version replaces', () => {
  const starts = commands.flatMap(({ text }) => text.split('\n')).filter((line) => line.startsWith('./filestead '))
  expect(starts.length).toBeGreaterThan(2)
  expect(starts.filter((line) => !line.includes(' --database ~/'))).toEqual([])
})

async function runAll(page: string, blocks: readonly Block[]): Promise<void> {
  const hasBackup = blocks.some(({ text }) => text.includes('restore /backups/'))
  using world = await World.make(fresh[page] ?? { isInstalled: true, hasFileBrowser: true, hasBackup })
  for (const block of blocks) await world.run(block)
}

test('a first start and config init set what the manual says differently, and nothing else', async () => {
  const folder = scratchFolder('two-ways')
  await using _first = await serve(['-d', join(folder, 'first.db'), '-r', folder])
  await run(['config', 'init', '-d', join(folder, 'init.db')])
  const [first, init] = await Promise.all(['first.db', 'init.db'].map((name) => settingsIn(join(folder, name))))
  expect(first?.filter((line) => !init?.includes(line))).toEqual([
    'Hide login button: true',
    'View mode: mosaic',
    'Redirect after copy/move: true',
    'Sorting by:',
  ])
  expect(init?.length).toBe(first?.length)
})

/** What is stored, without the options of the server. */
async function settingsIn(database: string): Promise<string[]> {
  const { stdout } = await run(['config', 'cat', '-d', database])
  const [settings = ''] = stdout.split('\nServer (')
  return settings.split('\n').map((line) => line.trim().replaceAll(/:\s+/g, ': '))
}
