import { nameOf, parentOf } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { inOnePiece } from '../byte-stream.ts'
import type { VirtualPath } from '../path.ts'
import {
  type Capabilities,
  type Entry,
  LinkInTheWay,
  type OpenDraft,
  type Storage,
  type WriteOptions,
} from '../port.ts'
import { type Folder, lookUp, type Node, newFile, newFolder, notFound, put, sizeOf } from './memory-nodes.ts'

type Check = (name: string, there: Node | undefined, options: WriteOptions) => Node | undefined

/** Drafts hang on the folder that holds them and go where it goes; being in no list of names, they show nowhere. */
const draftsIn = new WeakMap<Folder, Map<string, Uint8Array<ArrayBuffer>>>()

export const memorySpace = 2 ** 40

/** The drafts of a folder that is moved name by name go with it. */
export function moveDrafts(from: Folder, to: Folder): void {
  const drafts = draftsIn.get(from)
  if (drafts === undefined) return
  draftsIn.set(to, new Map([...(draftsIn.get(to) ?? []), ...drafts]))
  draftsIn.delete(from)
}

interface Parts {
  world: Folder
  at(path: VirtualPath): VirtualPath
  requireWritable: Check
  entryOf(name: string, node: Node): Entry
  replace(path: VirtualPath, node: Node): Promise<void>
  capabilities: Capabilities
}

/** The kept drafts of the storage in memory. */
export function keptDrafts(parts: Parts): Pick<Storage, 'beginDraft' | 'openDraft' | 'completeDraft' | 'dropDraft'> {
  const { world, at, requireWritable, entryOf, replace, capabilities } = parts
  const parentIn = (path: VirtualPath) => {
    if (path === '/') throw new Failure('forbidden', 'The root folder itself cannot be changed')
    return parentOf(at(path))
  }

  function draftsFor(path: VirtualPath): Map<string, Uint8Array<ArrayBuffer>> {
    const folder = lookUp(world, parentIn(path))
    if (folder?.kind === 'link') throw new LinkInTheWay()
    if (folder?.kind !== 'folder') notFound()
    const drafts = draftsIn.get(folder) ?? new Map()
    draftsIn.set(folder, drafts)
    return drafts
  }

  return {
    async beginDraft(path, id, options) {
      const parent = parentIn(path)
      requireWritable(nameOf(path), lookUp(world, at(path)), options)
      if (capabilities.space && (options.length ?? 0) > memorySpace - sizeOf(world))
        throw new Failure('no-space', 'The disk has not enough space')
      if (lookUp(world, parent) === undefined) put(world, parent, newFolder())
      const drafts = draftsFor(path)
      const draft = drafts.get(id) ?? new Uint8Array()
      if (!options.isLater) drafts.set(id, draft)
      return draft.length
    },

    async openDraft(path, id): Promise<OpenDraft> {
      const drafts = draftsFor(path)
      const bytes = () => drafts.get(id) ?? notFound()
      bytes()
      return {
        get size() {
          return bytes().length
        },
        async append(pieces) {
          for await (const piece of pieces) drafts.set(id, new Uint8Array(Buffer.concat([bytes(), piece])))
        },
        async readInto(memory, start) {
          const part = bytes().subarray(start, start + memory.length)
          memory.set(part)
          return part.length
        },
        truncate: async (size) => void drafts.set(id, bytes().slice(0, size)),
        async sync() {},
        async commit(options) {
          if (options.length !== undefined && bytes().length !== options.length)
            throw new Failure('incomplete', 'The connection ended before the file was whole')
          const node = newFile(bytes(), requireStillWritable(path, options), options)
          await replace(path, node)
          drafts.delete(id)
          return entryOf(nameOf(path), node)
        },
        close() {},
      }
    },

    async completeDraft(path, id, { offset, bytes }, options) {
      const draft = await this.openDraft(path, id)
      if (draft.size !== offset) throw new Failure('wrong-offset', 'The draft has another size')
      await draft.append(inOnePiece(bytes))
      return draft.commit(options)
    },

    async dropDraft(path, id) {
      draftsFor(path).delete(id)
    },
  }

  function requireStillWritable(path: VirtualPath, options: WriteOptions): Node | undefined {
    try {
      return requireWritable(nameOf(path), lookUp(world, at(path)), options)
    } catch (error) {
      if (!(error instanceof LinkInTheWay)) throw error
      throw new Failure('changed-meanwhile', 'The file was replaced by a link meanwhile')
    }
  }
}
