import { numbered, type OnConflict } from '@filestead/contract'
import { type HookEvent, type Hooks, noHooks } from '../commands/hooks.ts'
import { Failure, isFailure } from '../failure.ts'
import type { Entry } from '../storage/storage.ts'
import { may, requirePermission } from '../users/actor.ts'
import { rootPath, type VirtualPath } from './path.ts'
import { versionOf } from './resource.ts'
import type { Scope } from './scope.ts'
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
  const accept = (current: Entry | undefined) => current && requirePermission(scope.actor, 'modify')
  return hooked(deps, scope, 'upload', { path, mustExist: false, accept: override ? accept : requireFree }, () =>
    scope.write(path, bytes, { mode: override ? 'replace' : 'new', length, accept }),
  )
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
  const accept = (current: Entry | undefined) => {
    if (ifMatch === null || ifMatch === '*' || current === undefined) return
    const known = ifMatch.split(',').map((tag) => tag.trim())
    if (!known.includes(versionOf(current)))
      throw new Failure('changed-meanwhile', 'The file was changed since it was opened')
  }
  return hooked(deps, scope, 'save', { path, mustExist: true }, () =>
    scope.write(path, bytes, { mode: 'existing', length, accept }),
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

export function requireFree(current: Entry | undefined): void {
  if (current !== undefined) throw new Failure('already-exists', 'This name is taken')
}
