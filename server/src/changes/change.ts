import { numbered, type OnConflict } from '@filestead/contract'
import { may, requirePermission } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import type { Entry, Precondition } from '../storage/port.ts'
import { type HookEvent, type Hooks, noHooks } from './hooks.ts'
import type { FileWitness } from './witness.ts'

export interface Incoming {
  bytes: AsyncIterable<Uint8Array>
  length: number | undefined
}

/** What stands around every change. */
export interface ChangeDeps {
  hooks: Hooks
  /** Where a path of a scope lies on this machine; for hooks, which are the administrator's own programs. */
  realPath(scope: Scope, path: VirtualPath): Promise<string>
  /** Hears of everything that changes its place. */
  witness: FileWitness
}

/** A new file, or with `override` a new version of an old one. */
export async function createFile(
  deps: ChangeDeps,
  scope: Scope,
  path: VirtualPath,
  { bytes, length }: Incoming,
  { override }: { override: boolean },
): Promise<Entry> {
  requirePermission(scope.actor, 'create')
  return hooked(deps, scope, 'upload', { path, mustExist: false, accept: acceptFor(scope, override) }, () =>
    mayReplace(scope, override, (precondition) => scope.write(path, bytes, { precondition, length })),
  )
}

/** What a change with hooks must find: nothing, or with `override` something that the actor may replace. */
export const acceptFor =
  ({ actor }: Scope, override: boolean) =>
  (current: Entry | undefined): void => {
    if (current === undefined) return
    if (!override) throw new Failure('already-exists', 'This name is taken')
    requirePermission(actor, 'modify')
  }

/** Runs a change that may find its name taken. Without the right to modify it replaces nothing, and says why. */
export async function mayReplace<T>(
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

/** A new version of a file, unless somebody else saved one since the version the sender knows. */
export async function saveFile(
  deps: ChangeDeps,
  scope: Scope,
  path: VirtualPath,
  { bytes, length }: Incoming,
  { ifMatch }: { ifMatch: string | null },
): Promise<Entry> {
  requirePermission(scope.actor, 'modify')
  const precondition =
    ifMatch === null || ifMatch === '*' ? 'present' : ifMatch.split(',').map((version) => version.trim())
  return hooked(deps, scope, 'save', { path, mustExist: true }, () =>
    scope.write(path, bytes, { precondition, length }),
  )
}

export async function createFolder(deps: ChangeDeps, scope: Scope, path: VirtualPath): Promise<void> {
  requirePermission(scope.actor, 'create')
  await hooked(deps, scope, 'upload', { path, mustExist: false }, () => scope.createFolder(path))
}

export async function removeEntry(deps: ChangeDeps, scope: Scope, path: VirtualPath): Promise<void> {
  requirePermission(scope.actor, 'delete')
  if (path === '/') throw new Failure('forbidden', 'The root folder cannot be removed')
  await hooked(deps, scope, 'delete', { path, mustExist: true }, () =>
    deps.witness.removing(scope.actor, path, () => scope.remove(path)),
  )
}

export interface Transfer {
  from: VirtualPath
  to: VirtualPath
  onConflict: OnConflict
  signal?: AbortSignal
}

export async function moveEntry(deps: ChangeDeps, scope: Scope, transfer: Transfer): Promise<void> {
  requirePermission(scope.actor, 'rename')
  const { from, to } = requireSensible(transfer)
  await hooked(deps, scope, 'rename', { path: from, to, mustExist: true }, () =>
    transferTo(scope, transfer, (target, replace) =>
      deps.witness.moving(scope.actor, from, target, () => scope.rename(from, target, { replace })),
    ),
  )
}

export async function copyEntry(deps: ChangeDeps, scope: Scope, transfer: Transfer): Promise<void> {
  requirePermission(scope.actor, 'create')
  const { from, to, signal } = requireSensible(transfer)
  await hooked(deps, scope, 'copy', { path: from, to, mustExist: true }, () =>
    transferTo(scope, transfer, (target, replace) => scope.copy(from, target, { replace, signal })),
  )
}

function requireSensible(transfer: Transfer): Transfer {
  const { from, to } = transfer
  if (from === '/' || to === '/') throw new Failure('forbidden', 'The root folder cannot be moved or copied')
  if (to.startsWith(`${from}/`)) throw new Failure('invalid', 'source is parent')
  return transfer
}

async function transferTo(
  { actor }: Scope,
  { to, onConflict }: Transfer,
  transfer: (to: VirtualPath, replace: boolean) => Promise<void>,
): Promise<void> {
  // Without the permission nothing is ever replaced, not even what appears at the last moment.
  const replace = onConflict === 'overwrite' && may(actor, 'modify')

  for (let attempt = 0; ; attempt += 1) {
    const target = attempt === 0 ? to : (numbered(to, attempt) as VirtualPath)
    try {
      return await transfer(target, replace)
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error
      if (onConflict === 'overwrite') requirePermission(actor, 'modify')
      if (onConflict !== 'rename') throw error
    }
  }
}

interface Hooked {
  path: VirtualPath
  to?: VirtualPath
  mustExist: boolean
  /** Says no to what stands there already. */
  accept?: (current: Entry | undefined) => void
}

/** A hook is the administrator's program: it hears only of changes that are allowed and that could work. */
export async function hooked<T>(
  { hooks, realPath }: Pick<ChangeDeps, 'hooks' | 'realPath'>,
  scope: Scope,
  event: HookEvent,
  { path, to = rootPath, mustExist, accept }: Hooked,
  change: () => Promise<T>,
): Promise<T> {
  if (hooks === noHooks) return change()
  const current = await scope.stat(path).catch((error) => {
    if (mustExist || !isFailure(error, 'not-found')) throw error
  })
  accept?.(current ?? undefined)
  const [file, destination] = [await realPath(scope, path), await realPath(scope, to)]
  const facts = { user: scope.actor.user, file, destination }
  return hooks.around(event, facts, change)
}
