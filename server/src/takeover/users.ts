import { posix } from 'node:path'
import { type Rule, User } from '@filestead/contract'
import { Failure } from '../failure.ts'
import { parsePath } from '../storage/path.ts'
import { isPasswordHash } from '../users/passwords.ts'
import type { Account } from '../users/store.ts'
import type { Changes } from './changes.ts'
import type { OldUser } from './old-records.ts'
import { rulesFrom } from './rules.ts'

/** An account with the id, password and rights of the old one. */
export function accountFrom(
  old: OldUser,
  { source, globalRules }: { source: string; globalRules: readonly Rule[] },
  changes: Changes,
): Account {
  const link = `/settings/users/${old.id}`
  const { perm, password } = old
  if (perm.share && !perm.download) changes.add('share-needs-download', old.username, link)
  if (!isPasswordHash(password)) changes.add('password-unusable', old.username, link)
  return {
    user: User.parse({
      id: old.id,
      username: old.username,
      scope: scopeOf(old, source),
      locale: old.locale,
      lockPassword: old.lockpassword,
      viewMode: old.viewmode || 'list',
      singleClick: old.singleclick,
      redirectAfterCopyMove: old.redirectaftercopymove,
      perm: { ...perm, share: perm.share && perm.download },
      commands: old.commands,
      sorting: { ...old.sorting, by: old.sorting.by || 'name' },
      rules: rulesFrom(old.rules, { name: old.username, link }, changes, globalRules),
      hideDotfiles: old.hidedotfiles,
      dateFormat: old.dateformat,
      aceEditorTheme: old.aceeditortheme,
    }),
    passwordHash: password,
    // Zero: tokens issued before the takeover are up to date, and need no renewal.
    changedAt: 0,
  }
}

/** As stored, without '..', which had no effect in File Browser. */
function scopeOf({ id, scope }: OldUser, source: string): string {
  try {
    const clean = parsePath(posix.join('/', scope))
    return scope.split('/').includes('..') ? clean : scope
  } catch (cause) {
    throw new Failure('invalid', `${source}: the scope of user ${id} cannot be used`, { cause })
  }
}
