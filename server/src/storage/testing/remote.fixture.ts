import { nameOf, parentOf, segmentsOf } from '@filestead/contract/paths'
import { yieldToLoop } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { draftPrefix, inFolder, type VirtualPath } from '../path.ts'
import type { Entry, Precondition } from '../port.ts'
import type { DraftRecords, RemoteAbilities, RemoteDraft, RemoteFiles } from '../remote/files.ts'
import { requireVersion } from '../version.ts'
import {
  drop,
  entryOf as entryOfNode,
  type Folder,
  facts,
  lookUp,
  type Node,
  newFile,
  newFolder,
  put,
} from './memory-nodes.ts'

/** What a fake server does wrong, on demand. */
export interface Faults {
  /** Called before each call; what it throws is the answer. */
  before?: (verb: string, path: string) => void | Promise<void>
  /** Called after a call was carried out, before its answer is sent: the answer may be lost. */
  after?: (verb: string, path: string) => void | Promise<void>
}

const objectStore: RemoteAbilities = {
  atomicReplace: true,
  conditional: true,
  foldsCase: false,
  symlinks: false,
  weaknesses: [],
}

export interface FakeFiles extends RemoteFiles {
  readonly faults: Faults
  putLink(target: string, path: string): void
  /** As another program does it. */
  putFile(path: string, content: string): void
  /** All that lies there, hidden things too. */
  dump(): Record<string, string>
  /** How often a verb was called. */
  readonly calls: Map<string, number>
}

/** In entries: small, so that there are many pages. */
const pageLength = 1000

/** What an absolute symlink calls the root. */
export const fakeRoot = '/srv/files'

/** A server in memory that knows neither renames nor symlinks: names of files that look like paths. Drafts are rows. */
export function fakeObjectStore(records: DraftRecords): FakeFiles {
  const fake = fakeServer(objectStore)
  const { world, call, check } = fake
  const drafts = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    ...fake.files,
    listBelow: (folder) => fake.pages('listBelow', folder, () => [...everythingBelow(world, folder)]),
    removeFiles: (paths) =>
      call('removeFiles', paths[0] ?? '/', () => {
        for (const path of paths) drop(world, path)
      }),
    beginDraft: (path, id) =>
      call('beginDraft', path, async () => {
        const key = (await records.find(path, id)) ?? crypto.randomUUID()
        await records.save(path, id, key)
        if (!drafts.has(key)) drafts.set(key, new Uint8Array())
        return drafts.get(key)?.length ?? 0
      }),
    openDraft: (path, id) =>
      call('openDraft', path, async () => {
        const key = (await records.find(path, id)) ?? gone()
        return draftOver({
          call,
          path,
          bytes: () => drafts.get(key) ?? gone(),
          set: (bytes) => void drafts.set(key, bytes),
          async commit(bytes, options) {
            check(path, options.precondition)
            fake.putFile(path, bytes, options.modified)
            drafts.delete(key)
            await records.forget(path, id)
            return fake.entryAt(path)
          },
        })
      }),
    dropDraft: (path, id) =>
      call('dropDraft', path, async () => {
        drafts.delete((await records.find(path, id)) ?? '')
        await records.forget(path, id)
      }),
  }
}

/** A server in memory that renames, has symlinks and looks at no precondition. Drafts are hidden files. */
export function fakeFileServer(): FakeFiles {
  const fake = fakeServer({ ...objectStore, conditional: false, symlinks: true, weaknesses: ['It does not look'] })
  const { world, call } = fake
  const hidden = (path: VirtualPath, id: string) => inFolder(parentOf(path) as VirtualPath, `${draftPrefix}${id}`)
  const bytesAt = (path: VirtualPath) => {
    const node = lookUp(world, path)
    return node?.kind === 'file' ? node.bytes : gone()
  }
  const move = (from: VirtualPath, to: VirtualPath) => {
    const node = lookUp(world, from) ?? gone()
    put(world, to, node)
    drop(world, from)
  }
  return {
    ...fake.files,
    root: fakeRoot,
    beginDraft: (path, id) =>
      call('beginDraft', path, () => {
        if (lookUp(world, hidden(path, id)) === undefined) fake.putFile(hidden(path, id), new Uint8Array())
        return bytesAt(hidden(path, id)).length
      }),
    openDraft: (path, id) =>
      call('openDraft', path, () => {
        const at = hidden(path, id)
        bytesAt(at)
        return draftOver({
          call,
          path,
          bytes: () => bytesAt(at),
          set: (bytes) => fake.putFile(at, bytes),
          async commit(bytes, options) {
            if (options.precondition === 'absent' && lookUp(world, path) !== undefined)
              throw new Failure('already-exists', 'This name is taken')
            fake.putFile(at, bytes, options.modified)
            move(at, path)
            return fake.entryAt(path)
          },
        })
      }),
    dropDraft: (path, id) =>
      call('dropDraft', path, () => {
        if (lookUpLoosely(world, hidden(path, id)) !== undefined) drop(world, hidden(path, id))
      }),
    renameFile: (from, to, precondition) =>
      call('renameFile', to, () => {
        if (precondition === 'absent' && lookUp(world, to) !== undefined)
          throw new Failure('already-exists', 'This name is taken')
        move(from, to)
      }),
    renameFolder: (from, to) =>
      call('renameFolder', to, () => {
        if (lookUp(world, to) !== undefined) throw new Failure('already-exists', 'This name is taken')
        move(from, to)
      }),
    linkFile: (from, to) => call('linkFile', to, () => put(world, to, lookUp(world, from) ?? gone())),
    readLink: (path) =>
      call('readLink', path, () => {
        const node = lookUp(world, path)
        return node?.kind === 'link' ? node.target : gone()
      }),
    makeLink: (path, target) => call('makeLink', path, () => fake.putLink(target, path)),
    setFolderTime: (folder, { seconds, nanoseconds }) =>
      call('setFolderTime', folder, () => {
        const node = lookUp(world, folder)
        if (node !== undefined) Object.assign(node, { seconds, nanoseconds })
      }),
    space: () => call('space', '/', () => ({ total: 2 ** 40, used: 8192 })),
  }
}

type Call = <T>(verb: string, path: string, work: () => T | Promise<T>) => Promise<T>

function fakeServer(abilities: RemoteAbilities) {
  const world = newFolder()
  const [faults, calls]: [Faults, Map<string, number>] = [{}, new Map()]

  /** Each call takes a turn of the event loop, so that others come in between. */
  const call: Call = async (verb, path, work) => {
    calls.set(verb, (calls.get(verb) ?? 0) + 1)
    await faults.before?.(verb, path)
    await yieldToLoop()
    const result = await work()
    await faults.after?.(verb, path)
    return result
  }

  const entryOf = (name: string, node: Node): Entry => {
    const entry = entryOfNode(name, node, { hasId: abilities.symlinks })
    // A folder that is a part of names has no time.
    return abilities.symlinks || node.kind !== 'folder' ? entry : entry.with({ seconds: 0, nanoseconds: 0 })
  }
  const entryAt = (path: VirtualPath): Entry => entryOf(path === '/' ? '' : nameOf(path), lookUp(world, path) ?? gone())

  const check = (path: VirtualPath, precondition: Precondition) => {
    const there = lookUp(world, path)
    if (there === undefined) {
      if (precondition !== 'absent' && precondition !== 'any') gone()
    } else if (precondition === 'absent') throw new Failure('already-exists', 'This name is taken')
    requireVersion(precondition, there && entryAt(path))
  }

  function putFile(path: VirtualPath, bytes: Uint8Array<ArrayBuffer>, modified?: number): void {
    if (lookUp(world, parentOf(path))?.kind !== 'folder') throw new Error(`There is no folder for ${path}`)
    put(world, path, newFile(bytes, lookUp(world, path), { precondition: 'any', modified }))
  }

  function putLink(target: string, path: string): void {
    put(world, path, { ...facts(0o777), kind: 'link', target })
  }

  async function* pages<T>(verb: string, folder: VirtualPath, read: () => T[]): AsyncGenerator<T[]> {
    const all = await call(verb, folder, read)
    for (let at = 0; at < all.length || at === 0; at += pageLength) {
      if (at > 0) await call(verb, folder, () => undefined)
      yield all.slice(at, at + pageLength)
    }
  }

  const files: Omit<FakeFiles, 'beginDraft' | 'openDraft' | 'dropDraft'> = {
    abilities,
    faults,
    calls,
    putLink,
    putFile: (path, content) =>
      put(world, path, newFile(new Uint8Array(Buffer.from(content)), undefined, { precondition: 'any' })),
    dump: () => Object.fromEntries(contentsIn(world, '')),
    stat: (path) => call('stat', path, () => (lookUpLoosely(world, path) === undefined ? undefined : entryAt(path))),
    list: (folder) =>
      pages('list', folder, () => {
        const node = lookUpLoosely(world, folder)
        if (node?.kind !== 'folder') throw new Failure('not-found', 'There is no such folder')
        return [...node.names].map(([name, child]) => entryOf(name, child))
      }),
    read(path, entry, start, end) {
      let at = start
      return new ReadableStream({
        pull: (controller) =>
          call('read', path, () => {
            const node = lookUp(world, path)
            if (node?.kind !== 'file' || entryAt(path).version !== entry.version)
              throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
            const next = Math.min(at + 65_536, end)
            controller.enqueue(new Uint8Array(node.bytes.slice(at, next)))
            at = next
            if (at >= end) controller.close()
          }),
      })
    },
    write: (path, bytes, { precondition, modified }) =>
      call('write', path, async () => {
        const content = await together(bytes)
        if (abilities.conditional) check(path, precondition)
        putFile(path, content, modified)
        return entryAt(path)
      }),
    createFolder: (folder) =>
      call('createFolder', folder, () => {
        if (lookUp(world, parentOf(folder))?.kind !== 'folder') throw new Error(`There is no folder for ${folder}`)
        if (lookUp(world, folder) === undefined) put(world, folder, newFolder())
      }),
    copyFile: (from, to, { precondition, version }) =>
      call('copyFile', to, () => {
        const node = lookUp(world, from)
        if (node?.kind !== 'file') return gone()
        if (version !== undefined && entryAt(from).version !== version)
          throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
        if (abilities.conditional) check(to, precondition)
        const { seconds, nanoseconds } = node
        put(world, to, { ...newFile(node.bytes, undefined, { precondition: 'any' }), seconds, nanoseconds })
        return entryAt(to)
      }),
    removeFile: (path, version) =>
      call('removeFile', path, () => {
        const node = lookUpLoosely(world, path)
        if (node === undefined) return
        if (node.kind === 'folder') throw new Error(`${path} is a folder`)
        if (version !== undefined && entryAt(path).version !== version)
          throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
        drop(world, path)
      }),
    removeFolder: (folder) =>
      call('removeFolder', folder, () => {
        const node = lookUpLoosely(world, folder)
        if (node?.kind !== 'folder') return
        if (node.names.size > 0) throw new Failure('already-exists', 'The folder is not empty')
        drop(world, folder)
      }),
    probe: async () => undefined,
    close() {},
  }
  return { world, call, check, putFile, putLink, entryAt, pages, files }
}

interface DraftParts {
  call: Call
  path: VirtualPath
  bytes(): Uint8Array<ArrayBuffer>
  set(bytes: Uint8Array<ArrayBuffer>): void
  commit(bytes: Uint8Array<ArrayBuffer>, options: Parameters<RemoteDraft['commit']>[0]): Promise<Entry>
}

function draftOver({ call, path, bytes, set, commit }: DraftParts): RemoteDraft {
  return {
    get size() {
      return bytes().length
    },
    async append(pieces) {
      for await (const piece of pieces)
        await call('append', path, () => set(new Uint8Array(Buffer.concat([bytes(), piece]))))
    },
    read: (start, end) => call('readDraft', path, () => bytes().slice(start, end)),
    truncate: (size) => call('truncate', path, () => set(bytes().slice(0, size))),
    sync: () => call('sync', path, () => {}),
    commit: (options) => call('commit', path, () => commit(bytes(), options)),
  }
}

function* everythingBelow(world: Folder, folder: VirtualPath): Generator<{ path: VirtualPath; entry: Entry }> {
  const node = lookUpLoosely(world, folder)
  if (node?.kind !== 'folder') return
  for (const [name, child] of node.names) {
    const path = inFolder(folder, name)
    yield { path, entry: entryOfNode(name, child, { hasId: false }) }
    if (child.kind === 'folder') yield* everythingBelow(world, path)
  }
}

function* contentsIn(folder: Folder, path: string): Generator<[string, string]> {
  for (const [name, node] of folder.names) {
    if (node.kind === 'file') yield [`${path}/${name}`, Buffer.from(node.bytes).toString()]
    if (node.kind === 'folder') yield* contentsIn(node, `${path}/${name}`)
  }
}

async function together(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece.slice())
  return new Uint8Array(Buffer.concat(pieces))
}

/** Nothing lies below a file. Servers follow symlinks on the way, which the storage must not let them do. */
function lookUpLoosely(world: Folder, path: string): Node | undefined {
  let node: Node | undefined = world
  for (const name of segmentsOf(path)) node = node?.kind === 'folder' ? node.names.get(name) : undefined
  return node
}

const gone = (): never => {
  throw new Failure('not-found', 'There is no such file or folder')
}
