import { afterAll } from 'bun:test'
import {
  type Dirent,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { draftPrefix } from '../src/storage/path.ts'
import { isStoreName } from '../src/storage/store-names.ts'

/** A folder for the tests of one file, gone when they are over. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `filestead-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Everything below a folder but what is kept: a file with its content, a link with its target, a folder with an empty text. */
export function treeOf(folder: string, below = ''): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(join(folder, below)).sort()) {
    if (isStoreName(name)) continue
    const inside = join(below, name)
    const path = join(folder, inside)
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) tree[inside] = `-> ${readlinkSync(path)}`
    else if (stat.isDirectory()) Object.assign(tree, { [`${inside}/`]: '' }, treeOf(folder, inside))
    else if (stat.isFile()) tree[inside] = readFileSync(path, 'latin1')
    else tree[inside] = 'special'
  }
  return tree
}

export const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8)

/** Empty files, many of them quickly: most are further names of one that was made. */
export function fillFolder(folder: string, names: Iterable<string>): void {
  mkdirSync(folder, { recursive: true })
  let [count, original] = [0, '']
  for (const name of names) {
    const path = join(folder, name)
    // File systems allow some ten thousand names of one file.
    if (count % 10_000 === 0) writeFileSync(path, '')
    else linkSync(original, path)
    if (count % 10_000 === 0) original = path
    count += 1
  }
}

/** How many files are below a folder, hidden ones, too. A server may move one of the folders away while it is read: then none. */
export function countBelow(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory()).length
  } catch {
    return 0
  }
}

/** Every unfinished file of the server below a folder. */
export const draftsBelow = (folder: string): string[] =>
  [...entriesBelow(folder)].map(({ path }) => path).filter((path) => basename(path).startsWith(draftPrefix))

/** What lies below a folder: files with their content, links with their target. */
export function snapshot(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { path, entry } of entriesBelow(folder)) {
    if (entry.isDirectory()) found[path] = '/'
    else if (entry.isSymbolicLink()) found[path] = `-> ${unlessGone(() => readlinkSync(join(folder, path), 'utf8'))}`
    else found[path] = `${unlessGone(() => readFileSync(join(folder, path), 'latin1'))}`
  }
  return found
}

/** Without following links, which the recursive reading of the runtime does. */
function* entriesBelow(folder: string, below = ''): Generator<{ path: string; entry: Dirent }> {
  for (const entry of unlessGone(() => readdirSync(join(folder, below), { withFileTypes: true })) ?? []) {
    const path = join(below, entry.name)
    yield { path, entry }
    if (entry.isDirectory()) yield* entriesBelow(folder, path)
  }
}

/** The server may change the folder while it is read. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
