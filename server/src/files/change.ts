import { numbered, type OnConflict } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import type { Entry } from '../storage/storage.ts'
import { may, requirePermission } from '../users/actor.ts'
import type { VirtualPath } from './path.ts'
import { versionOf } from './resource.ts'
import type { Scope } from './scope.ts'

export interface Incoming {
  bytes: AsyncIterable<Uint8Array>
  length: number | undefined
}

/** A new file, or with `override` a new version of an old one. */
export async function createFile(
  scope: Scope,
  path: VirtualPath,
  { bytes, length }: Incoming,
  { override }: { override: boolean },
): Promise<Entry> {
  requirePermission(scope.actor, 'create')
  return scope.write(path, bytes, {
    mode: override ? 'replace' : 'new',
    length,
    accept: (current) => current && requirePermission(scope.actor, 'modify'),
  })
}

/** A new version of a file, unless somebody else saved one since the version the sender knows. */
export async function saveFile(
  scope: Scope,
  path: VirtualPath,
  { bytes, length }: Incoming,
  { ifMatch }: { ifMatch: string | null },
): Promise<Entry> {
  requirePermission(scope.actor, 'modify')
  return scope.write(path, bytes, {
    mode: 'existing',
    length,
    accept(current) {
      if (ifMatch === null || ifMatch === '*' || current === undefined) return
      const known = ifMatch.split(',').map((tag) => tag.trim())
      if (!known.includes(versionOf(current)))
        throw new Failure('changed-meanwhile', 'The file was changed since it was opened')
    },
  })
}

export async function createFolder(scope: Scope, path: VirtualPath): Promise<void> {
  requirePermission(scope.actor, 'create')
  await scope.createFolder(path)
}

export async function removeEntry(scope: Scope, path: VirtualPath): Promise<void> {
  requirePermission(scope.actor, 'delete')
  if (path === '/') throw new Failure('forbidden', 'The root folder cannot be removed')
  await scope.remove(path)
}

export interface Transfer {
  from: VirtualPath
  to: VirtualPath
  onConflict: OnConflict
  signal?: AbortSignal
}

export async function moveEntry(scope: Scope, transfer: Transfer): Promise<void> {
  requirePermission(scope.actor, 'rename')
  await transferTo(scope, transfer, (to, replace) => scope.rename(transfer.from, to, { replace }))
}

export async function copyEntry(scope: Scope, transfer: Transfer): Promise<void> {
  requirePermission(scope.actor, 'create')
  await transferTo(scope, transfer, (to, replace) =>
    scope.copy(transfer.from, to, { replace, signal: transfer.signal }),
  )
}

async function transferTo(
  { actor }: Scope,
  { from, to, onConflict }: Transfer,
  transfer: (to: VirtualPath, replace: boolean) => Promise<void>,
): Promise<void> {
  if (from === '/' || to === '/') throw new Failure('forbidden', 'The root folder cannot be moved or copied')
  if (to.startsWith(`${from}/`)) throw new Failure('invalid', 'source is parent')
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
