import { isInside } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { inOnePiece } from '../byte-stream.ts'
import { rebase, restOf, type VirtualPath } from '../path.ts'
import type { BeginDraftOptions, DraftAccess, Entry, LastBytes, OpenDraft, WriteOptions } from '../port.ts'
import { withKeep } from './keeping.ts'
import { look, type Remote, withParents } from './remote.ts'
import { commit, requireWritable } from './writing.ts'

export async function beginDraft(
  remote: Remote,
  path: VirtualPath,
  base: VirtualPath,
  id: string,
  { precondition, length, modified, keep, isLater = false }: BeginDraftOptions,
): Promise<number> {
  requireWritable(remote, await look(remote, path), precondition)
  await requireRoom(remote, length)
  return withKeep(remote, keep, (keeper) =>
    withParents(remote, path, base, keeper?.made, async () =>
      isLater ? 0 : remote.files.beginDraft(path, id, { length, modified }),
    ),
  )
}

async function requireRoom({ files }: Remote, length = 0): Promise<void> {
  if (files.space === undefined || length === 0) return
  const { total, used } = await files.space()
  if (total > 0 && length > total - used) throw new Failure('no-space', 'The disk has not enough space')
}

/** An exclusive one is locked by a row, so that a node that dies lets go. */
export async function openDraft(
  remote: Remote,
  path: VirtualPath,
  id: string,
  { isExclusive = false }: DraftAccess = {},
): Promise<OpenDraft> {
  const unlock = isExclusive ? await remote.records.drafts.lock(path, id) : () => {}
  remote.open.drafts += 1
  const release = () => {
    remote.open.drafts -= 1
    unlock()
  }
  try {
    const draft = await remote.files.openDraft(path, id)
    return {
      get size() {
        return draft.size
      },
      append: (bytes) => draft.append(bytes),
      async readInto(memory, start) {
        const end = Math.min(start + memory.length, draft.size)
        if (end <= start) return 0
        const bytes = await draft.read(start, end)
        memory.set(bytes)
        return bytes.length
      },
      truncate: (size) => draft.truncate(size),
      sync: () => draft.sync(),
      commit: (options) => withKeep(remote, options.keep, (keeper) => commit(remote, path, draft, options, keeper)),
      close: once(release),
    }
  } catch (error) {
    release()
    throw error
  }
}

const once = (work: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

export async function completeDraft(
  remote: Remote,
  path: VirtualPath,
  id: string,
  { offset, bytes }: LastBytes,
  options: WriteOptions,
): Promise<Entry> {
  const draft = await openDraft(remote, path, id, { isExclusive: true })
  try {
    if (draft.size !== offset) throw new Failure('wrong-offset', 'The draft has another size')
    if (bytes.length > 0) await draft.append(inOnePiece(bytes))
    return await draft.commit(options)
  } finally {
    draft.close()
  }
}

/** Of a folder that goes. */
export async function dropDraftsBelow(remote: Remote, folder: VirtualPath): Promise<void> {
  for (const { path, id } of await remote.records.drafts.all())
    if (isInside(path, folder)) await remote.files.dropDraft(path, id)
}

/** Of a folder that was moved name by name: what an adapter has noted of a draft counts at its new place. */
export async function moveDraftsBelow(remote: Remote, from: VirtualPath, to: VirtualPath): Promise<void> {
  const { drafts } = remote.records
  for (const { path, id, state } of await drafts.all()) {
    if (!isInside(path, from)) continue
    await drafts.save(rebase(to, restOf(path, from.length)), id, state)
    await drafts.forget(path, id)
  }
}
