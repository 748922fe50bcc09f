import { numbered, type OnConflict } from '@filestead/contract'
import { notAllowed } from '../access/lookup.ts'
import type { Scope } from '../access/scope.ts'
import { isRename, rightsToTransfer } from '../access/transfer-rights.ts'
import { Failure, isFailure } from '../failure.ts'
import { isWithin, type Location } from '../mounts/location.ts'
import { inOnePiece } from '../storage/byte-stream.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import type { Entry, Precondition, RemoveOptions, RestoreOptions, WriteOptions } from '../storage/port.ts'
import type { TakenRule, TransferKind, TransferOptions } from '../storage/transfer-options.ts'
import type { BeginOptions, FreshFile, HiddenFolder } from './operations.ts'
import { type Changes, type Need, perform, type Recorder, requireAllowed } from './pipeline.ts'

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

/** The versions of which a sender wants to replace one, or whatever is there (`*`). */
interface Replacing {
  readonly ifMatch?: string | null
}

function demandedBy({ ifMatch }: Replacing): 'present' | readonly string[] | undefined {
  if (ifMatch === null || ifMatch === undefined) return undefined
  return ifMatch === '*' ? 'present' : ifMatch.split(',').map((version) => version.trim())
}

/** A new file, or with `override` a new version of an old one. */
export function createFile(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  { bytes, length }: Incoming,
  { override, ...replacing }: { override: boolean } & Replacing,
): Promise<Entry> {
  const accept = unlessTaken(scope, path, override)
  const needs = needsToWrite(scope, path, override)
  const begin = begunWith({ size: length }, override)
  const wanted = { kind: 'create', to: path, size: length, begin, permission: 'create', needs, accept } as const
  return perform(changes, scope, wanted, (record, keep) =>
    mayReplace(scope, path, override, (allowed) => {
      const precondition = allowed === 'absent' ? allowed : (demandedBy(replacing) ?? allowed)
      return record(() => scope.write(path, untilTheEnd(changes, scope, path, bytes), { precondition, length, keep }))
    }),
  )
}

/** The end of an upload: `commit` puts all that arrived in its place. */
export async function uploadFile(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  announced: Announced,
  commit: (options: WriteOptions) => Promise<Entry>,
  { isStoredWhenDone }: Pick<BeginOptions, 'isStoredWhenDone'> = {},
): Promise<Entry> {
  await changes.stillAllowed?.(scope, path)
  const accept = unlessTaken(scope, path, announced.override)
  const needs = needsToWrite(scope, path, announced.override)
  const { length: size, modified, override } = announced
  const begin = { ...begunWith({ size, modified }, override), isStoredWhenDone }
  const wanted = { kind: 'upload', to: path, size, begin, permission: 'create', needs, accept } as const
  return perform(changes, scope, wanted, (record, keep) =>
    withOptions(scope, path, announced, (options) => record(() => commit({ ...options, keep }))),
  )
}

/** A copy of an older state, written under a name as an upload would be. */
export function restoreCopy(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  announced: Announced,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Entry> {
  const accept = unlessTaken(scope, path, announced.override)
  const needs = needsToWrite(scope, path, announced.override)
  const wanted = { kind: 'restore', to: path, size: announced.length, permission: 'create', needs, accept } as const
  return perform(changes, scope, wanted, (record, keep) =>
    withOptions(scope, path, announced, (options) => record(() => scope.write(path, bytes, { ...options, keep }))),
  )
}

/** An upload whose bytes are all there needs no draft that waits for more. */
export function uploadWholeFile(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  announced: Announced,
  content: Uint8Array,
): Promise<Entry> {
  // Asked for again where a symlink leads into another root folder.
  const bytes = { [Symbol.asyncIterator]: () => inOnePiece(content) }
  const write = (options: WriteOptions) => scope.write(path, bytes, options)
  // Without a word before the work, a crash in the middle would hide what gave way.
  const isStoredWhenDone = !announced.override
  return uploadFile(changes, scope, path, announced, write, { isStoredWhenDone })
}

/** What the end of an upload is allowed to do; asked at its beginning as well. */
export const withOptions = <T>(
  scope: Scope,
  path: VirtualPath,
  { override, length, modified }: Announced,
  change: (options: WriteOptions) => Promise<T>,
): Promise<T> => mayReplace(scope, path, override, (precondition) => change({ precondition, length, modified }))

/** A new version of a file, unless another one was saved since the version that the sender knows. */
export function saveFile(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  { bytes, length }: Incoming,
  replacing: Replacing,
): Promise<Entry> {
  const precondition = demandedBy(replacing) ?? 'present'
  const needs: readonly Need[] = [['change', path]]
  const wanted = { kind: 'save', to: path, size: length, permission: 'modify', needs, accept: mustExist } as const
  return perform(changes, scope, wanted, (record, keep) =>
    record(() => scope.write(path, untilTheEnd(changes, scope, path, bytes), { precondition, length, keep })),
  )
}

/** The bytes of a sender that has, when all of them are there, the rights that it had before the first one. */
async function* untilTheEnd(
  { stillAllowed }: Changes,
  scope: Scope,
  path: VirtualPath,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* bytes
  await stillAllowed?.(scope, path)
}

export function createFolder(changes: Changes, scope: Scope, path: VirtualPath): Promise<void> {
  const needs: readonly Need[] = [['create', path]]
  const wanted = { kind: 'create-folder', to: path, permission: 'create', needs, accept: anything } as const
  return perform(changes, scope, wanted, (record, keep) => record(() => scope.createFolder(path, { keep })))
}

interface Removal extends Pick<RemoveOptions, 'signal' | 'progress' | 'only'> {
  /** It is not kept, whatever the mount keeps. */
  forGood?: boolean | undefined
}

/** To followers, what is kept has moved to its place in a store. */
export async function removeEntry(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  { forGood = false, ...options }: Removal = {},
): Promise<void> {
  await perform(changes, scope, wantedRemoval(scope, path), async (record, keep) => {
    const keptAt = forGood || keep === undefined ? undefined : await scope.keepPlace(path, keep)
    await record(() => scope.remove(path, { ...options, keptAt, keep }), { keptAt })
  })
}

function wantedRemoval(scope: Scope, path: VirtualPath) {
  const check = () => {
    if (isRoot(scope, path)) throw new Failure('forbidden', 'The root folder cannot be removed')
  }
  const needs: readonly Need[] = [['delete', path]]
  return { kind: 'remove', from: path, permission: 'delete', needs, check, accept: mustExist } as const
}

/** What a removal would be refused for before anything is looked up. */
export const requireRemovable = (scope: Scope, path: VirtualPath): void =>
  requireAllowed(scope, wantedRemoval(scope, path))

export interface Transfer extends Pick<TransferOptions, 'staged' | 'taken' | 'progress'> {
  from: VirtualPath
  to: VirtualPath
  onConflict: OnConflict
  signal?: AbortSignal
}

/** Both return the path that it got, which `onConflict` may have changed. */
export const [moveEntry, copyEntry] = [transferBy('move'), transferBy('copy')]

function transferBy(kind: TransferKind) {
  return async (changes: Changes, scope: Scope, transfer: Transfer): Promise<VirtualPath> =>
    perform(changes, scope, wantedTransfer(kind, scope, transfer), (record, keep) =>
      transferTo(scope, transfer, record, (target, replace) =>
        scope[kind === 'move' ? 'rename' : 'copy'](transfer.from, target, { ...optionsOf(transfer), replace, keep }),
      ),
    )
}

type Ends = Pick<Transfer, 'from' | 'to'>

function wantedTransfer(kind: TransferKind, scope: Scope, { from, to }: Ends) {
  const { leaving, arriving } = rightsToTransfer(kind, scope.rightsIn, from, to)
  const needs: readonly Need[] = [
    [leaving, from],
    [arriving, to],
  ]
  const permission = kind === 'copy' ? ('create' as const) : ('rename' as const)
  return { kind, from, to, permission, needs, check: sensible(scope, { from, to }), accept: mustExist } as const
}

/** What a copy or move would be refused for before anything is looked up. */
export const requireTransferable = (kind: TransferKind, scope: Scope, ends: Ends): void =>
  requireAllowed(scope, wantedTransfer(kind, scope, ends))

const optionsOf = ({ signal, staged, taken, progress }: Transfer): Omit<TransferOptions, 'replace'> => ({
  signal,
  staged,
  taken,
  progress,
})

export interface Restored extends Pick<RestoreOptions, 'taken' | 'over' | 'signal' | 'progress'> {
  /** Its place in a store of the mount that `to` lies in. The caller has asked whether the actor may have it. */
  kept: Location
  to: VirtualPath
  onConflict: OnConflict
}

/**
 * Gives a kept thing a name again, and returns the path that it got. With `over` it takes the place of a version of the same
 * file, which is kept: that is a change of the file, as a save is one.
 */
export function restoreEntry(changes: Changes, scope: Scope, restored: Restored): Promise<VirtualPath> {
  const { kept, to, onConflict, ...options } = restored
  return perform(changes, scope, { ...wantedRestore(scope, restored), kept }, (record, keep) => {
    const restore = async (target: VirtualPath, replace: boolean) => {
      if (target !== to && !isRename(scope.rightsIn, to, target)) throw notAllowed()
      return scope.restore(kept, target, { ...options, replace, keep })
    }
    if (options.over === undefined) return transferTo(scope, restored, record, restore)
    return record(() => restore(to, true)).then(() => to)
  })
}

function wantedRestore(scope: Scope, { to, over }: Pick<Restored, 'to' | 'over'>) {
  const check = () => {
    if (isRoot(scope, to)) throw new Failure('forbidden', 'The root folder cannot be replaced')
  }
  if (over === undefined)
    return { kind: 'restore', to, permission: 'create', needs: [['create', to]], check, accept: anything } as const
  return { kind: 'restore', to, permission: 'modify', needs: [['change', to]], check, accept: mustExist } as const
}

/** What a restore would be refused for before anything is looked up. */
export const requireRestorable = (scope: Scope, restored: Pick<Restored, 'to' | 'over'>): void =>
  requireAllowed(scope, wantedRestore(scope, restored))

export interface Extracted extends HiddenFolder {
  readonly taken: TakenRule
  readonly signal: AbortSignal
  /** It comes out of the past, and not out of an archive. */
  readonly isRestored?: boolean
}

/** What was extracted, and is whole and hidden so far, becomes the folder `to`, or is merged with it. */
export function publishExtracted(
  changes: Changes,
  scope: Scope,
  to: VirtualPath,
  { id, inside, taken, signal, isRestored = false }: Extracted,
): Promise<void> {
  const needs: readonly Need[] = [['create', to]]
  const kind = isRestored ? 'restore' : 'extract'
  const begin = { hidden: { id, inside } }
  const wanted = { kind, to, begin, permission: 'create', needs, accept: anything } as const
  return perform(changes, scope, wanted, (record, keep) =>
    record(() => scope.publish(to, id, { replace: true, inside, taken, signal, keep })),
  )
}

const sensible =
  (scope: Scope, { from, to }: Ends) =>
  (): void => {
    if (isRoot(scope, from) || isRoot(scope, to))
      throw new Failure('forbidden', 'The root folder cannot be moved or copied')
    const [source, target] = [scope.locate(from), scope.locate(to)]
    // A home is found by two names where its mount is seen as well.
    if (source !== target && isWithin(target, source)) throw new Failure('invalid', 'source is parent')
  }

/** The top of what an actor sees, or a folder in it that stands for a whole mount or for the home. */
const isRoot = ({ tree }: Scope, path: VirtualPath): boolean => path === rootPath || tree.find(path)?.path === rootPath

/** Each name that is tried is a step of its own: followers have to know which one it is. */
async function transferTo(
  scope: Scope,
  { to, onConflict }: Pick<Transfer, 'to' | 'onConflict'>,
  record: Recorder,
  transfer: (to: VirtualPath, replace: boolean) => Promise<void>,
): Promise<VirtualPath> {
  // Without the right nothing is ever replaced, not even what appears at the last moment.
  const replace = onConflict === 'overwrite' && scope.may('change', to)

  for (let attempt = 0; ; attempt += 1) {
    const target = attempt === 0 ? to : (numbered(to, attempt) as VirtualPath)
    try {
      await record(() => transfer(target, replace), { to: target })
      return target
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error
      if (onConflict === 'overwrite') scope.require('change', to)
      if (onConflict !== 'rename') throw error
    }
  }
}

/** Something new needs another right than a new version of what is there. */
const needsToWrite = (scope: Scope, path: VirtualPath, override: boolean): readonly Need[] =>
  override && scope.may('change', path) ? [] : [['create', path]]

/** Runs a change that may find its name taken. Without the right to change it replaces nothing, and says why. */
async function mayReplace<T>(
  scope: Scope,
  path: VirtualPath,
  override: boolean,
  change: (precondition: Precondition) => Promise<T>,
): Promise<T> {
  if (!override) return change('absent')
  if (scope.may('change', path)) return change(scope.may('create', path) ? 'any' : 'present')
  try {
    return await change('absent')
  } catch (error) {
    if (isFailure(error, 'already-exists')) scope.require('change', path)
    throw error
  }
}

/** Of a file that replaces nothing. */
const begunWith = (fresh: FreshFile, override: boolean): BeginOptions => (override ? {} : { fresh })

/** Nothing, or with `override` something that the actor may replace. */
const unlessTaken =
  (scope: Scope, path: VirtualPath, override: boolean) =>
  (current: Entry | undefined): void => {
    if (current !== undefined && !override) throw new Failure('already-exists', 'This name is taken')
    scope.require(current === undefined ? 'create' : 'change', path)
  }

function mustExist(current: Entry | undefined): void {
  if (current === undefined) throw new Failure('not-found', 'There is no such file or folder')
}

function anything(): void {}
