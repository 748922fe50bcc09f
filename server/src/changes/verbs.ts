import { numbered, type OnConflict } from '@filestead/contract'
import { may, requirePermission } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure, isFailure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Entry, Precondition, WriteOptions } from '../storage/port.ts'
import { type Changes, perform, type Recorder } from './pipeline.ts'

export interface Incoming {
  bytes: AsyncIterable<Uint8Array>
  length: number | undefined
}

/** What the sender says about a file before its first byte. */
export interface Announced {
  readonly length: number
  readonly override: boolean
  readonly modified: number | undefined
}

/** A new file, or with `override` a new version of an old one. */
export function createFile(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  { bytes, length }: Incoming,
  { override }: { override: boolean },
): Promise<Entry> {
  const accept = unlessTaken(scope, override)
  const wanted = { kind: 'create', to: path, size: length, permission: 'create', accept } as const
  return perform(changes, scope, wanted, (record) =>
    mayReplace(scope, override, (precondition) => record(() => scope.write(path, bytes, { precondition, length }))),
  )
}

/** The end of an upload: `commit` puts all that arrived in its place. */
export function uploadFile(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  announced: Announced,
  commit: (options: WriteOptions) => Promise<Entry>,
): Promise<Entry> {
  const accept = unlessTaken(scope, announced.override)
  const wanted = { kind: 'upload', to: path, size: announced.length, permission: 'create', accept } as const
  return perform(changes, scope, wanted, (record) =>
    withOptions(scope, announced, (options) => record(() => commit(options))),
  )
}

/** What is noted about the draft of an upload: its id, and with `note` where it will lie. */
interface NotedDraft {
  readonly id: string
  note(place: VirtualPath): Promise<void>
}

/** An upload whose bytes are all there needs no draft that waits for more. */
export function uploadWholeFile(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  announced: Announced,
  content: Uint8Array,
  draft: NotedDraft,
): Promise<Entry> {
  const bytes = only(content)
  return uploadFile(changes, scope, path, announced, (options) =>
    scope.write(path, bytes, { ...options, draft: draft.id }, draft.note),
  )
}

/** What the end of an upload is allowed to do; asked at its beginning as well. */
export const withOptions = <T>(
  scope: Scope,
  { override, length, modified }: Announced,
  change: (options: WriteOptions) => Promise<T>,
): Promise<T> => mayReplace(scope, override, (precondition) => change({ precondition, length, modified }))

/** A new version of a file, unless another one was saved since the version that the sender knows. */
export function saveFile(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  { bytes, length }: Incoming,
  { ifMatch }: { ifMatch: string | null },
): Promise<Entry> {
  const precondition =
    ifMatch === null || ifMatch === '*' ? 'present' : ifMatch.split(',').map((version) => version.trim())
  const wanted = { kind: 'save', to: path, size: length, permission: 'modify', accept: mustExist } as const
  return perform(changes, scope, wanted, (record) => record(() => scope.write(path, bytes, { precondition, length })))
}

export function createFolder(changes: Changes, scope: Scope, path: VirtualPath): Promise<void> {
  const wanted = { kind: 'create-folder', to: path, permission: 'create', accept: anything } as const
  return perform(changes, scope, wanted, (record) => record(() => scope.createFolder(path)))
}

export async function removeEntry(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  signal?: Cancellation,
): Promise<void> {
  const check = () => {
    if (path === '/') throw new Failure('forbidden', 'The root folder cannot be removed')
  }
  const wanted = { kind: 'remove', from: path, permission: 'delete', check, accept: mustExist } as const
  await perform(changes, scope, wanted, (record) => record(() => scope.remove(path, { signal })))
}

export interface Transfer {
  from: VirtualPath
  to: VirtualPath
  onConflict: OnConflict
  signal?: AbortSignal
}

/** Returns the path it was moved to, which `onConflict` may have changed. */
export async function moveEntry(changes: Changes, scope: Scope, transfer: Transfer): Promise<VirtualPath> {
  const { from, to, signal } = transfer
  const wanted = { kind: 'move', from, to, permission: 'rename', check: sensible(transfer), accept: mustExist } as const
  return perform(changes, scope, wanted, (record) =>
    transferTo(scope, transfer, record, (target, replace) => scope.rename(from, target, { replace, signal })),
  )
}

/** Returns the path of the copy. */
export async function copyEntry(changes: Changes, scope: Scope, transfer: Transfer): Promise<VirtualPath> {
  const { from, to, signal } = transfer
  const wanted = { kind: 'copy', from, to, permission: 'create', check: sensible(transfer), accept: mustExist } as const
  return perform(changes, scope, wanted, (record) =>
    transferTo(scope, transfer, record, (target, replace) => scope.copy(from, target, { replace, signal })),
  )
}

const sensible =
  ({ from, to }: Transfer) =>
  (): void => {
    if (from === '/' || to === '/') throw new Failure('forbidden', 'The root folder cannot be moved or copied')
    if (to.startsWith(`${from}/`)) throw new Failure('invalid', 'source is parent')
  }

/** Each name that is tried is a step of its own: followers have to know which one it is. */
async function transferTo(
  { actor }: Scope,
  { to, onConflict }: Transfer,
  record: Recorder,
  transfer: (to: VirtualPath, replace: boolean) => Promise<void>,
): Promise<VirtualPath> {
  // Without the permission nothing is ever replaced, not even what appears at the last moment.
  const replace = onConflict === 'overwrite' && may(actor, 'modify')

  for (let attempt = 0; ; attempt += 1) {
    const target = attempt === 0 ? to : (numbered(to, attempt) as VirtualPath)
    try {
      await record(() => transfer(target, replace), target)
      return target
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error
      if (onConflict === 'overwrite') requirePermission(actor, 'modify')
      if (onConflict !== 'rename') throw error
    }
  }
}

/** Runs a change that may find its name taken. Without the right to modify it replaces nothing, and says why. */
async function mayReplace<T>(
  { actor }: Scope,
  override: boolean,
  change: (precondition: Precondition) => Promise<T>,
): Promise<T> {
  if (!override) return change('absent')
  if (may(actor, 'modify')) return change('any')
  try {
    return await change('absent')
  } catch (error) {
    if (isFailure(error, 'already-exists')) requirePermission(actor, 'modify')
    throw error
  }
}

/** Nothing, or with `override` something that the actor may replace. */
const unlessTaken =
  ({ actor }: Scope, override: boolean) =>
  (current: Entry | undefined): void => {
    if (current === undefined) return
    if (!override) throw new Failure('already-exists', 'This name is taken')
    requirePermission(actor, 'modify')
  }

function mustExist(current: Entry | undefined): void {
  if (current === undefined) throw new Failure('not-found', 'There is no such file or folder')
}

function anything(): void {}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}
