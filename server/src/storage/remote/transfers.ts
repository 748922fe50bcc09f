import { isInside, nameOf } from '@filestead/contract/paths'
import { Failure, isFailure } from '../../failure.ts'
import { isAlike } from '../alike.ts'
import { idInName } from '../kept-names.ts'
import { meterFor } from '../meter.ts'
import { hiddenBeside, type VirtualPath } from '../path.ts'
import type { Entry, RemoveOptions, RestoreOptions } from '../port.ts'
import type { StageOptions, TransferKind, TransferOptions } from '../transfer-options.ts'
import { requireOnly } from '../version.ts'
import { requireMergeable } from './comparing.ts'
import { dropDraftsBelow, moveDraftsBelow } from './drafts.ts'
import { cannotBeKept, claimIn, type Keeper } from './keeping.ts'
import { haveSameBytes, moveFile, removeTree, taken } from './moving.ts'
import { inTheWay, look, lookAt, lookAtFile, notFound, type Remote, requireNotRoot, withParents } from './remote.ts'
import { dropInfo, requirePlace } from './stores.ts'
import { TreeTransfer } from './trees.ts'
import { replacing, requireWritable } from './writing.ts'

export interface Ends {
  readonly from: VirtualPath
  readonly to: VirtualPath
  /** Parents are made below it. */
  readonly base: VirtualPath
}

/** A copy or move within the mount. Under a `staged` id it is remembered by a row, from its first change until `unstage`. */
export async function transfer(
  remote: Remote,
  kind: TransferKind,
  { from, to, base }: Ends,
  options: TransferOptions,
  keeper: Keeper | undefined,
): Promise<void> {
  const { replace, staged, taken: rule, signal, progress } = options
  const note = staged === undefined ? undefined : await remote.records.transfers.find(to, staged)
  if (note === done) return
  const entry = await look(remote, from)
  const there = await look(remote, to)
  if (entry === undefined && staged !== undefined && kind === 'move' && there !== undefined) return
  requirePossible(remote, kind, { from, to }, entry, there, options)
  if (entry === undefined || from === to) return
  const goesOn = note !== undefined
  if (there !== undefined && !goesOn) {
    if (staged !== undefined && (await isDoneAlready(remote, [from, entry], [to, there], options)))
      return kind === 'move' ? remote.files.removeFile(from, entry.version) : undefined
    if (!replace) throw taken()
    await requireMergeable(remote, { path: from, entry }, { path: to, entry: there }, { rule, signal })
  }
  signal?.throwIfAborted()
  if (staged !== undefined && there === undefined && isStageable(remote, kind, entry))
    return withParents(remote, to, base, keeper?.made, () =>
      copyHidden(remote, { path: from, entry }, to, staged, options),
    )
  await withParents(remote, to, base, keeper?.made, async () => {
    // A file gets its name in one step, and is recognised there.
    const isRemembered = staged !== undefined && entry.kind === 'folder'
    if (isRemembered && !goesOn) await remote.records.transfers.save(to, staged, begun)
    const isByName = kind === 'move' && entry.kind === 'folder' && (there !== undefined || !remote.files.renameFolder)
    const undoes = staged === undefined && !replace
    const tree = new TreeTransfer(remote, { kind, rule, signal, progress, keeper, goesOn, undoes })
    await tree.run({ path: from, entry }, to, there)
    if (isByName) await moveDraftsBelow(remote, from, to)
    if (isRemembered) await remote.records.transfers.save(to, staged, done)
  })
}

/** A folder that the server can give its name in one step is copied out of sight. */
const isStageable = ({ files }: Remote, kind: TransferKind, entry: Entry): boolean =>
  kind === 'copy' && entry.kind === 'folder' && files.renameFolder !== undefined

async function copyHidden(
  remote: Remote,
  from: { readonly path: VirtualPath; readonly entry: Entry },
  to: VirtualPath,
  staged: string,
  options: Pick<TransferOptions, 'signal' | 'progress'>,
): Promise<void> {
  await mirror(remote, from, hiddenBeside(to, staged), options)
  await remote.records.transfers.save(to, staged, begun)
  await remote.files.renameFolder?.(hiddenBeside(to, staged), to)
  await remote.records.transfers.save(to, staged, done)
}

async function mirror(
  remote: Remote,
  from: { readonly path: VirtualPath; readonly entry: Entry },
  hidden: VirtualPath,
  { signal, progress }: Pick<TransferOptions, 'signal' | 'progress'>,
): Promise<void> {
  const there = await remote.files.stat(hidden)
  await new TreeTransfer(remote, { kind: 'copy', signal, progress, mirrors: true }).run(from, hidden, there)
}

/** What is saved of a transfer. */
export const [begun, done] = ['begun', 'done']

/** Refused before anything is changed. */
export function requirePossible(
  remote: Remote,
  kind: TransferKind,
  { from, to }: Pick<Ends, 'from' | 'to'>,
  entry: Entry | undefined,
  there: Entry | undefined,
  { replace }: Pick<TransferOptions, 'replace'>,
): void {
  if (entry === undefined) notFound()
  if (to !== from && isInside(to, from)) throw new Failure('invalid', 'a folder cannot be put into itself')
  if (kind === 'copy' && entry.kind === 'link') throw inTheWay(remote)
  if (kind === 'copy' && entry.kind !== 'file' && entry.kind !== 'folder')
    throw new Failure('invalid', 'this is not a regular file')
  if (from === to) {
    if (kind === 'copy' && !replace) throw taken()
    return
  }
  if (kind === 'move' && isInside(from, to) && there !== undefined)
    throw replace ? new Failure('invalid', 'nothing can take the place of the folder that holds it') : taken()
}

/** After a crash, or an answer that was lost, the very file is there. */
async function isDoneAlready(
  remote: Remote,
  [from, entry]: readonly [VirtualPath, Entry],
  [to, there]: readonly [VirtualPath, Entry],
  { signal }: Pick<TransferOptions, 'signal'>,
): Promise<boolean> {
  return isAlike(entry, there) && haveSameBytes(remote, [from, entry], [to, there], signal)
}

/** A copy is made out of sight, where the server can give it its name in one step. All else is only refused early. */
export async function stage(
  remote: Remote,
  kind: TransferKind,
  { from, to, base }: Ends,
  { id, replace, taken: rule, signal, progress }: StageOptions,
): Promise<void> {
  const note = await remote.records.transfers.find(to, id)
  const [entry, there] = [await look(remote, from), await look(remote, to)]
  if (note !== undefined && entry === undefined) return
  requirePossible(remote, kind, { from, to }, entry, there, { replace })
  signal?.throwIfAborted()
  if (entry === undefined || from === to || note !== undefined) return
  if (there === undefined) {
    if (!isStageable(remote, kind, entry)) return
    const copy = () => mirror(remote, { path: from, entry }, hiddenBeside(to, id), { signal, progress })
    return withParents(remote, to, base, undefined, copy)
  }
  if (!replace && !(await isDoneAlready(remote, [from, entry], [to, there], { signal }))) throw taken()
  if (replace) await requireMergeable(remote, { path: from, entry }, { path: to, entry: there }, { rule, signal })
}

export async function remove(
  remote: Remote,
  path: VirtualPath,
  { only, signal, progress }: RemoveOptions,
  keeper: Keeper | undefined,
): Promise<void> {
  const entry = await lookAt(remote, path)
  const isFolder = entry.kind === 'folder'
  signal?.throwIfAborted()
  requireOnly(only, isFolder, () => entry.version)
  const { files } = remote
  const meter = meterFor(progress)
  if (!isFolder) {
    await files.removeFile(path, only === undefined || only === 'empty' ? undefined : only.version)
    meter.file('').end(entry.size)
  } else if (only === 'empty') await files.removeFolder(path)
  else {
    const gone = (at: VirtualPath, { size }: Entry) => meter.file(at.slice(path.length + 1)).end(size)
    try {
      await removeTree(remote, path, { signal, gone })
    } catch (error) {
      throw meter.done.files > 0 ? partlyDone(error) : error
    }
    await dropDraftsBelow(remote, path)
  }
  keeper?.lost(path)
  meter.end()
}

function partlyDone(error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  return new Failure(error.code, `Only a part was removed; the rest is still there. ${error.message}`, { cause: error })
}

/** Where folders are renamed this is one step; else its files go one by one, and a second call takes the rest there. */
export async function removeToStore(
  remote: Remote,
  path: VirtualPath,
  keptAt: VirtualPath,
  { only, signal, progress }: RemoveOptions,
  keeper: Keeper,
): Promise<void> {
  const { store, name } = requirePlace(keptAt)
  const id = idInName(name)
  const entry = await lookAt(remote, path)
  signal?.throwIfAborted()
  requireOnly(only, entry.kind === 'folder', () => entry.version)
  if (id === undefined) throw cannotBeKept(new Failure('invalid', 'this is no place of a kept thing'))
  const there = await remote.files.stat(keptAt)
  try {
    const { keep, tell } = keeper
    const claim = await claimIn(remote, store, name, { at: path, entry, id, keep, tell })
    try {
      const tree = new TreeTransfer(remote, { kind: 'move', signal, progress, goesOn: there !== undefined })
      await tree.run({ path, entry }, keptAt, there)
    } catch (error) {
      if ((await remote.files.stat(keptAt)) === undefined) await claim.drop()
      throw error
    }
    claim.done()
  } catch (error) {
    throw cannotBeKept(error)
  }
  if (entry.kind === 'folder' && remote.files.renameFolder === undefined) await dropDraftsBelow(remote, path)
}

/** Takes a kept thing out of its store. One that was ended halfway goes on with the next call. */
export async function restore(
  remote: Remote,
  place: VirtualPath,
  { to, base }: Omit<Ends, 'from'>,
  { over, ...options }: RestoreOptions,
  keeper: Keeper | undefined,
): Promise<void> {
  const { store, name } = requirePlace(place)
  const staged = `restore-${nameOf(place)}`
  try {
    if (over !== undefined) await restoreOver(remote, place, to, over, keeper)
    else {
      await lookAt(remote, place)
      await transfer(remote, 'move', { from: place, to, base }, { ...options, staged }, keeper)
    }
  } catch (error) {
    if (isFailure(error, 'not-found') && (await remote.files.stat(place)) === undefined)
      throw new Failure('not-found', 'It is not kept any more')
    throw error
  }
  await remote.records.transfers.forget(to, staged)
  if ((await remote.files.stat(place)) === undefined) await dropInfo(remote, store, name)
}

/** A version of a file takes the place of the present one, if that is one of those that were meant. */
async function restoreOver(
  remote: Remote,
  from: VirtualPath,
  to: VirtualPath,
  over: readonly string[],
  keeper: Keeper | undefined,
): Promise<void> {
  const entry = await lookAtFile(remote, from)
  requireWritable(remote, await look(remote, to), over)
  await replacing(remote, to, over, keeper, (precondition) => moveFile(remote, { from, entry, to, precondition }))
}

export async function purge(
  remote: Remote,
  place: VirtualPath,
  options: Pick<RemoveOptions, 'signal' | 'progress'>,
): Promise<void> {
  const { store, name } = requirePlace(place)
  if ((await remote.files.stat(place)) !== undefined) await remove(remote, place, options, undefined)
  await dropInfo(remote, store, name)
}

export function requireEnds(from: VirtualPath, to: VirtualPath): void {
  for (const path of [from, to]) requireNotRoot(path)
}
