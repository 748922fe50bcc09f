import { posix } from 'node:path'
import { isInside, nameOf } from '@filestead/contract/paths'
import { yieldToLoop } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { keepsNothing } from '../keeping.ts'
import { follow } from '../links.ts'
import { inFolder, parsePath, rebase, rootPath, type VirtualPath } from '../path.ts'
import {
  type Capabilities,
  type Entry,
  headLength,
  LinkInTheWay,
  type Storage,
  type WholeFile,
  type WriteOptions,
} from '../port.ts'
import type { TakenRule } from '../transfer-options.ts'
import { requireOnly, requireVersion } from '../version.ts'
import { keptDrafts, memorySpace, moveDrafts } from './memory-drafts.ts'
import { amountOf, mergeBy, requireTaken } from './memory-merging.ts'
import {
  clone,
  drop,
  entryOf as entryOfNode,
  type Folder,
  facts,
  lookUp,
  merge,
  type Node,
  newFile,
  newFolder,
  notFound,
  put,
  requireMergeable,
  sizeOf,
} from './memory-nodes.ts'

const infinite = Number.POSITIVE_INFINITY

/** What an absolute link calls the root of the storage. */
export const memoryRoot = '/storage' as VirtualPath

const likeADisk: Capabilities = {
  symlinks: true,
  atomicRename: true,
  atomicReplace: true,
  localFile: false,
  foldsCase: false,
  space: true,
  sparse: false,
  keeps: false,
  lastingIds: true,
}

/** What an object store can do: no symlinks, no folder that is renamed at once, no end of space, and no ids. */
export const likeAnObjectStore = { ...likeADisk, symlinks: false, atomicRename: false, space: false }

/** The port without a disk: same promises, same refusals, gone with the process. */
export function memoryStorage(
  capabilities: Capabilities = likeADisk,
): Storage & { putLink(target: string, path: VirtualPath): void } {
  const world = newFolder()
  put(world, memoryRoot, newFolder())
  return {
    ...storageAt(world, memoryRoot, capabilities),
    putLink(target, path) {
      if (!capabilities.symlinks) throw new Error('This storage has no symlinks')
      put(world, rebase(memoryRoot, path), { ...facts(0o777), kind: 'link', target })
    },
  }
}

/** The transfers that are remembered until they are unstaged. */
const doneIn = new WeakMap<Folder, Set<string>>()

function storageAt(world: Folder, root: VirtualPath, capabilities: Capabilities): Storage {
  const done = doneIn.get(world) ?? new Set<string>()
  doneIn.set(world, done)
  const entryOf = (name: string, node: Node): Entry => entryOfNode(name, node, { hasId: capabilities.symlinks })

  function at(path: VirtualPath): VirtualPath {
    const base = lookUp(world, root)
    if (base?.kind === 'link') throw new LinkInTheWay()
    if (base?.kind !== 'folder') notFound()
    return rebase(root, path)
  }

  const find = (path: VirtualPath) => lookUp(world, at(path)) ?? notFound()

  function findFolder(path: VirtualPath): Folder {
    const node = find(path)
    if (node.kind === 'link') throw new LinkInTheWay()
    return node.kind === 'folder' ? node : notFound('Part of the path is a file, not a folder')
  }

  function findMovable(from: VirtualPath, to: VirtualPath): Node {
    requireNotRoot(from)
    const source = find(from)
    if (to !== from && isInside(to, from)) throw new Failure('invalid', 'a folder cannot be put into itself')
    requireNotRoot(to)
    return source
  }

  /** What a crash after a move leaves: the source is gone and the target there. */
  const isMoved = (from: VirtualPath, to: VirtualPath): boolean =>
    lookUp(world, at(from)) === undefined && lookUp(world, at(to)) !== undefined

  function requireRoom(source: Node, to: VirtualPath, replace: boolean, taken?: TakenRule): void {
    const there = lookUp(world, at(to))
    if (replace && taken !== undefined && source.kind === 'folder' && there?.kind === 'folder')
      requireTaken(taken, source, there)
    else if (replace) requireMergeable(source, there)
    else if (there !== undefined) throw new Failure('already-exists', 'This name is taken')
  }

  async function replace(path: VirtualPath, node: Node): Promise<void> {
    if (!capabilities.atomicReplace && lookUp(world, at(path)) !== undefined) {
      drop(world, at(path))
      await yieldToLoop()
    }
    put(world, at(path), node)
  }

  return {
    ...keepsNothing,
    capabilities,

    stat: async (path) => entryOf(path === '/' ? '' : nameOf(path), find(path)),

    async list(path) {
      const folder = findFolder(path)
      const entries = [...folder.names].map(([name, node]) => entryOf(name, node))
      return { folder: entryOf(path === '/' ? '' : nameOf(path), folder), entries }
    },

    names: async (path) => [...findFolder(path).names].map(([name, { kind }]) => ({ name, kind })),

    async describe(path, named) {
      const { names } = findFolder(path)
      return named.flatMap(({ name }) => {
        const node = names.get(name)
        return node === undefined ? [] : [entryOf(name, node)]
      })
    },

    async visitBelow(path, visit) {
      for (const [name, node] of findFolder(path).names) {
        visit(inFolder(path, name))
        if (node.kind === 'folder') await this.visitBelow(inFolder(path, name), visit)
      }
    },

    async peek(path, names) {
      const folder = findFolder(path)
      const headOf = (node: Node | undefined) =>
        node?.kind === 'file' ? node.bytes.slice(0, headLength) : new Uint8Array()
      return new Map(names.map((name) => [name, headOf(folder.names.get(name))]))
    },

    async readFiles(path, names, room) {
      const folder = findFolder(path)
      const files: (WholeFile | undefined)[] = []
      let left = room
      for (const name of names) {
        const node = folder.names.get(name)
        const isSmall = node?.kind === 'file' && node.bytes.length <= left
        if (!isSmall && node?.kind === 'file' && left < room) break
        files.push(isSmall ? { entry: entryOf(name, node), bytes: new Uint8Array(node.bytes) } : undefined)
        if (isSmall) left -= node.bytes.length
      }
      return files
    },

    async open(path) {
      const node = find(path)
      if (node.kind === 'link') throw new LinkInTheWay()
      if (node.kind !== 'file') throw new Failure('invalid', 'this is not a regular file')
      const { bytes } = node
      return {
        entry: entryOf(nameOf(path), node),
        content: new Blob([bytes]),
        head: async () => bytes.slice(0, headLength),
        close() {},
      }
    },

    async readHead(path) {
      const { entry, head } = await this.open(path)
      return { entry, head: await head() }
    },

    async find(path, { lists, largestOpened = infinite, mostListed = infinite, signal }) {
      const { kind } = find(path)
      if (kind === 'link') throw new LinkInTheWay()
      if (kind === 'folder') {
        const { folder, entries } = await this.list(path, signal)
        return lists && entries.length <= mostListed ? { entry: folder, entries } : { entry: folder }
      }
      const entry = await this.stat(path)
      return entry.size > largestOpened ? { entry } : { entry, file: await this.open(path) }
    },

    async write(path, bytes, options) {
      requireNotRoot(path)
      const check = () => requireWritable(nameOf(path), lookUp(world, at(path)), options)
      check()
      const content = await receive(bytes, options.length)
      const node = newFile(content, check(), options)
      await replace(path, node)
      return entryOf(nameOf(path), node)
    },

    ...keptDrafts({ world, at, requireWritable, entryOf, replace, capabilities }),

    async fill(folder, entries) {
      for (const { path, kind, bytes = new Uint8Array(), modified } of entries) {
        const target = at(rebase(folder, path))
        const there = lookUp(world, target)
        if (there !== undefined && (there.kind === 'folder') !== (kind === 'folder'))
          throw new Failure('already-exists', 'A file and a folder cannot replace each other')
        const times = modified === undefined ? {} : { modified: modified * 1000 }
        if (kind === 'file') put(world, target, newFile(bytes, undefined, { precondition: 'any', ...times }))
        else if (there === undefined) put(world, target, newFolder())
      }
    },
    async secure() {},

    async createFolder(path) {
      const there = lookUp(world, at(path))
      if (there?.kind === 'link') throw new LinkInTheWay()
      if (there?.kind === 'file') throw new Failure('already-exists', 'A file has this name')
      if (there === undefined) put(world, at(path), newFolder())
    },

    // Everything here is a moment's work, so nothing is ever staged.
    async stage(_, from, to, { replace, signal, progress }) {
      const source = findMovable(from, to)
      signal?.throwIfAborted()
      if (from !== to) requireRoom(source, to, replace)
      progress?.({ ...amountOf(source), current: '' })
    },

    async publish(to) {
      requireNotRoot(to)
      notFound('Nothing was staged')
    },

    async unstage(to, id) {
      requireNotRoot(to)
      done.delete(`${at(to)} ${id}`)
    },

    async rename(from, to, { replace, staged, taken, progress }) {
      if (staged !== undefined && (isMoved(from, to) || done.has(`${at(to)} ${staged}`))) return
      const source = findMovable(from, to)
      if (from === to) return
      if (replace && isInside(from, to))
        throw new Failure('invalid', 'nothing can take the place of the folder that holds it')
      requireRoom(source, to, replace, taken)
      const amount = amountOf(source)
      if (taken !== undefined && source.kind === 'folder' && lookUp(world, at(to))?.kind === 'folder') {
        if (mergeBy(taken, source, lookUp(world, at(to)) as Folder, { isMove: true })) drop(world, at(from))
      } else if (capabilities.atomicRename) {
        merge(world, at(to), source)
        drop(world, at(from))
      } else await moveOneByOne(world, at(from), at(to))
      if (staged !== undefined) done.add(`${at(to)} ${staged}`)
      progress?.({ ...amount, current: '' })
    },

    async copy(from, to, { replace, staged, taken, signal, progress }) {
      if (staged !== undefined && done.has(`${at(to)} ${staged}`)) return
      const source = findMovable(from, to)
      signal?.throwIfAborted()
      if (source.kind === 'link') throw new LinkInTheWay()
      requireRoom(source, to, replace, taken)
      if (from === to) return
      const [copy, there] = [clone(source, posix.relative(to, from)), lookUp(world, at(to))]
      if (taken !== undefined && copy.kind === 'folder' && there?.kind === 'folder')
        mergeBy(taken, copy, there, { isMove: false })
      else merge(world, at(to), copy)
      if (staged !== undefined) done.add(`${at(to)} ${staged}`)
      progress?.({ ...amountOf(source), current: '' })
    },

    async remove(path, { signal, only, progress } = {}) {
      requireNotRoot(path)
      const node = find(path)
      signal?.throwIfAborted()
      requireOnly(only, node.kind === 'folder', () => entryOf('', node).version)
      if (only === 'empty' && node.kind === 'folder' && node.names.size > 0)
        throw new Failure('already-exists', 'The folder is not empty')
      drop(world, at(path))
      progress?.({ ...amountOf(node), current: '' })
    },

    // Every name here is text.
    exact: async (path) => path,

    async resolve(path) {
      const real = follow(at(rootPath), path, (place) => {
        const node = lookUpLoosely(world, place)
        return node?.kind === 'link' ? node.target : undefined
      })
      if (!isInside(real, root)) throw new Failure('forbidden', 'The path leads out of the folder')
      return parsePath(real.slice(root.length))
    },

    async usage(path) {
      const used = sizeOf(findFolder(path))
      return capabilities.space ? { total: memorySpace, used } : { total: 0, used: 0 }
    },
    beneath: (folder) => storageAt(world, at(folder), capabilities),
  }
}

/** Each file is at the new place before it is taken from the old one, and others come in between. */
async function moveOneByOne(world: Folder, from: string, to: string): Promise<void> {
  const node = lookUp(world, from)
  if (node === undefined) return
  if (node.kind === 'folder') {
    const there = lookUp(world, to)
    const folder = there?.kind === 'folder' ? there : { ...newFolder(), mode: node.mode }
    if (folder !== there) put(world, to, folder)
    moveDrafts(node, folder)
    for (const name of node.names.keys()) await moveOneByOne(world, `${from}/${name}`, `${to}/${name}`)
  } else {
    put(world, to, node)
    await yieldToLoop()
  }
  if (lookUp(world, from) === node) drop(world, from)
}

/** Where symlinks lead: what cannot be reached is not there. */
function lookUpLoosely(world: Folder, path: string): Node | undefined {
  try {
    return lookUp(world, path)
  } catch {
    return undefined
  }
}

function requireWritable(name: string, there: Node | undefined, { precondition }: WriteOptions): Node | undefined {
  if (there === undefined) {
    if (precondition !== 'absent' && precondition !== 'any') notFound('There is no such file')
  } else {
    if (precondition === 'absent') throw new Failure('already-exists', 'This name is taken')
    if (there.kind === 'link') throw new LinkInTheWay()
    if (there.kind === 'folder') throw new Failure('already-exists', 'A folder has this name')
  }
  requireVersion(precondition, there && entryOfNode(name, there))
  return there
}

async function receive(bytes: AsyncIterable<Uint8Array>, length: number | undefined) {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bytes) {
    pieces.push(piece.slice())
    size += piece.length
    if (length !== undefined && size > length) throw new Failure('invalid', 'more bytes came than were announced')
  }
  if (length !== undefined && size < length)
    throw new Failure('incomplete', 'The connection ended before the file was whole')
  return new Uint8Array(Buffer.concat(pieces))
}

function requireNotRoot(path: VirtualPath): void {
  if (path === '/') throw new Failure('forbidden', 'The root folder itself cannot be changed')
}
