import { Failure } from '../../failure.ts'
import type { VirtualPath } from '../path.ts'
import type { RemoteBegin, RemoteDraft } from '../remote/files.ts'
import { S3Draft } from './draft.ts'
import { clearStore, type DraftParts, type State, sizeOf } from './draft-state.ts'
import { abandon, notedUploads, partSizeFor, type UploadNote } from './multipart.ts'

export async function beginDraft(
  parts: DraftParts,
  path: VirtualPath,
  id: string,
  begin: RemoteBegin,
): Promise<number> {
  const found = await findState(parts, path, id)
  if (found !== undefined) return sizeOf(found)
  const { length = 0, modified } = begin
  const state: State = {
    key: parts.keyOf(path),
    begun: Date.now(),
    store: crypto.randomUUID(),
    write: crypto.randomUUID(),
    isReadable: length === 0,
    partSize: partSizeFor(parts.sizes, length),
    modified,
    isBegun: false,
    blocks: [],
    tail: 0,
  }
  await parts.records.save(path, id, JSON.stringify(state))
  return 0
}

export async function openDraft(parts: DraftParts, path: VirtualPath, id: string): Promise<RemoteDraft> {
  const state = await findState(parts, path, id)
  if (state === undefined) throw new Failure('not-found', 'There is no such draft')
  return new S3Draft(parts, path, id, state)
}

/** The record goes last: until then another try finds what is left. */
export async function dropDraft(parts: DraftParts, path: VirtualPath, id: string): Promise<void> {
  const text = await parts.records.find(path, id)
  if (text === undefined) return
  await clear(parts, JSON.parse(text) as UploadNote & Partial<State>)
  await parts.records.forget(path, id)
}

/** Also what a write of a large file has left. */
async function clear({ objects, records, names }: DraftParts, state: UploadNote & Partial<State>): Promise<void> {
  const { store, upload, isBegun = true } = state
  if (upload !== undefined || isBegun) await abandon(objects, state, () => notedUploads(records))
  if (store !== undefined) await clearStore(objects, names.hiddenKey(store, ''))
}

/** A draft whose folder was renamed has another name to come to: parts that are bound to the old one are given up. */
async function findState(parts: DraftParts, path: VirtualPath, id: string): Promise<State | undefined> {
  const text = await parts.records.find(path, id)
  if (text === undefined) return undefined
  const state = JSON.parse(text) as State
  const key = parts.keyOf(path)
  if (state.key === key) return state
  const { blocks, isReadable } = state
  const here = { ...state, key, upload: undefined, isBegun: false }
  const moved: State = isReadable || blocks.length === 0 ? here : { ...here, blocks: [], tail: 0 }
  if (state.isBegun) await abandon(parts.objects, state, () => notedUploads(parts.records))
  await parts.records.save(path, id, JSON.stringify(moved))
  return moved
}
