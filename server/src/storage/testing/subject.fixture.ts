import { parsePath, type VirtualPath } from '../path.ts'
import type { Effect, Entry, Places, Storage, WriteOptions } from '../port.ts'

/** An empty storage under test, with side doors for what the port does not do, or not fast. */
export interface Subject {
  storage: Storage
  /** Only where there are symlinks. */
  link(target: string, path: string): Promise<void>
  /** A file that is one hole of so many bytes, and how many bytes a file takes up; only where holes are kept. */
  hole?(path: string, size: number): Promise<void>
  occupied?(path: string): Promise<number>
  /** Makes many empty files at once. */
  fill(folder: string, names: readonly string[]): Promise<void>
  /** Only where something is kept, with both stores on: where this storage begins in its mount, and what was told. */
  keeping?: { readonly base: string; effectsOf(operation: string): Effect[] }
  /** A file that was opened cannot be read any more once it is replaced or removed. */
  losesOpenFiles?: boolean
  /** Times are told in whole seconds. */
  wholeSeconds?: boolean
  /** What an absolute link calls the root of the storage. */
  root: string
}

/** A storage in the hands of a test: paths and contents are plain text. */
export function handle(subject: Subject) {
  const { storage } = subject
  const at = parsePath
  return {
    ...subject,
    stat: (path: string) => storage.stat(at(path)),
    write: (path: string, content: string, options: Partial<WriteOptions> = {}) =>
      storage.write(at(path), piecesOf(content), { precondition: 'absent', ...options }),
    createFolder: (path: string) => storage.createFolder(at(path)),
    rename: (from: string, to: string, replace = false) => storage.rename(at(from), at(to), { replace }),
    copy: (from: string, to: string, replace = false, signal?: AbortSignal) =>
      storage.copy(at(from), at(to), { replace, signal }),
    remove: (path: string, signal?: AbortSignal) => storage.remove(at(path), { signal }),
    resolve: (path: string): Promise<string> => storage.resolve(at(path)),
    read: (path: string) => readFrom(storage, at(path)),
    list: (path: string) => entriesIn(storage, at(path)),
    names: async (path: string) => (await entriesIn(storage, at(path))).map((entry) => entry.name).sort(),
    /** Every path below with its content; folders end with a slash, links with an at sign. */
    tree: () => treeOf(storage, at('/')),
    async put(files: Record<string, string>) {
      for (const [path, content] of Object.entries(files))
        await storage.write(at(path), piecesOf(content), { precondition: 'absent' })
    },
  }
}

export type Handle = ReturnType<typeof handle>

export interface PlacedContent {
  readonly name: string
  /** Undefined for what was not read. */
  readonly checksum: number | undefined
  /** What is at its place then. */
  readonly content: Buffer
}

/**
 * What `readInPlaces` makes of all files. On a busy machine one call reads the first of them only, and the others are asked for
 * again, as an archive does.
 */
export async function placedIn(storage: Storage, folder: string, asked: Places): Promise<PlacedContent[]> {
  const { names, entries, starts, size } = asked
  const found: PlacedContent[] = []
  while (found.length < names.length) {
    const from = found.length
    const left = { names: names.slice(from), entries: entries.slice(from), starts: starts.slice(from), size }
    const placed = await storage.readInPlaces?.(parsePath(folder), left)
    if (placed === undefined || placed.checksums.length === 0) throw new Error('nothing was read')
    for (const [index, checksum] of placed.checksums.entries()) {
      const [name = '', start = 0] = [left.names[index], left.starts[index]]
      const content = Buffer.from(placed.memory.slice(start, start + (left.entries[index]?.size ?? 0)))
      found.push({ name, checksum, content })
    }
    placed.release()
  }
  return found
}

/** The text in three pieces, as it might come over the wire. */
export async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  const third = Math.ceil(bytes.length / 3)
  for (let at = 0; at < bytes.length; at += third) {
    await Promise.resolve()
    yield bytes.subarray(at, at + third)
  }
}

async function readFrom(storage: Storage, path: VirtualPath): Promise<string> {
  const file = await storage.open(path)
  try {
    return await file.content.text()
  } finally {
    file.close()
  }
}

const entriesIn = async (storage: Storage, folder: VirtualPath): Promise<readonly Entry[]> =>
  (await storage.list(folder)).entries

async function treeOf(storage: Storage, folder: VirtualPath): Promise<Record<string, string>> {
  const tree: Record<string, string> = {}
  for (const { name, kind } of await entriesIn(storage, folder)) {
    const path = parsePath(`${folder}/${name}`)
    if (kind === 'folder') Object.assign(tree, { [`${path}/`]: '' }, await treeOf(storage, path))
    else if (kind === 'link') tree[`${path}@`] = ''
    else tree[path] = await readFrom(storage, path)
  }
  return tree
}

/**
 * What a promise is rejected with. Not by `expect(…).rejects`, in which the runtime waits without hearing its threads.
 */
export async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('It was not refused')
}
