import type { Permission, Permissions } from '@filestead/contract'

/** In the order of the form. */
export const offeredPermissions = [
  'admin',
  'create',
  'delete',
  'download',
  'modify',
  'execute',
  'rename',
  'share',
] as const satisfies readonly Permission[]

/** What a set of ticks really means: an administrator may do everything, and sharing needs downloading. */
export function implied(perm: Permissions): Permissions {
  if (!perm.admin) return { ...perm, download: perm.download || perm.share }
  return {
    admin: true,
    create: true,
    delete: true,
    download: true,
    modify: true,
    execute: true,
    rename: true,
    share: true,
  }
}

/** Is this tick decided by another one? */
export const isImplied = (perm: Permissions, name: Permission): boolean =>
  name !== 'admin' && (perm.admin || (name === 'download' && perm.share))
