import type { Permission, Rule, Sorting, User } from '@filestead/contract'
import { Failure } from '../failure.ts'

/** A user with the rules that apply: what authorisation asks. */
export interface Actor {
  readonly user: User
  /** The instance's rules, then the user's own. */
  readonly rules: readonly Rule[]
}

const lastActors = new WeakMap<User, { readonly actor: Actor; readonly globalRules: readonly Rule[] }>()

/** The same object for the same user and rules, so that what was made for an actor can be found again. */
export function actorOf(user: User, globalRules: readonly Rule[]): Actor {
  const last = lastActors.get(user)
  if (last?.globalRules === globalRules) return last.actor
  const actor = { user, rules: globalRules.length === 0 ? user.rules : [...globalRules, ...user.rules] }
  lastActors.set(user, { actor, globalRules })
  return actor
}

export const may = ({ user }: Actor, permission: Permission): boolean => user.perm[permission]

export function requirePermission(actor: Actor, permission: Permission): void {
  if (may(actor, permission)) return
  // Clients have always told "may not download" from "may not see" by this answer.
  if (permission === 'download') throw new Failure('download-withheld', 'Downloading is not allowed')
  throw new Failure('forbidden', `This needs the permission to ${permission}`)
}

export const sortingOf = ({ user }: Actor): Sorting => ({ by: user.sorting.by || 'name', asc: user.sorting.asc })
