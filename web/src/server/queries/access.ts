import { type Mount, nameOf, type Permission, parentOf, type Right } from '@filestead/contract'
import { perSession } from '../../state/session-scope.ts'
import { can, isGuest } from '../session.ts'
import { cache } from './cache.ts'
import { type Entry, type Folder, resourceKey } from './resources.ts'

/** What is done with entries: the permission that the account needs for it, and the right that grants give at each entry. */
const needs = {
  download: ['download', 'download'],
  /** In a folder: new entries, uploads, the target of a copy. */
  create: ['create', 'create'],
  /** In a folder: the target of a move. */
  receive: ['rename', 'create'],
  change: ['modify', 'change'],
  rename: ['rename', 'change'],
  /** Away from its folder. */
  move: ['rename', 'delete'],
  copy: ['create', 'download'],
  delete: ['delete', 'delete'],
  share: ['share', 'share'],
} as const satisfies Record<string, readonly [Permission, Right]>

export type Verb = keyof typeof needs

type Capable = Pick<Entry, 'can'>

/** May this be done with all of these entries? Without entries, the account alone is asked. */
export function may(verb: Verb, entries: readonly Capable[] = []): boolean {
  const [permission, right] = needs[verb]
  return can(permission) && (verb !== 'share' || can('download')) && commonRights(entries)?.includes(right) !== false
}

/** Of each selection once: every command of every menu asks. */
const known = perSession(() => new WeakMap<readonly Capable[], readonly Right[] | undefined>())

/** The rights that all entries have; undefined for everything. */
function commonRights(entries: readonly Capable[]): readonly Right[] | undefined {
  const found = known()
  if (found.has(entries)) return found.get(entries)
  let common: readonly Right[] | undefined
  let last: readonly Right[] | undefined
  for (const { can } of entries) {
    // In most folders all entries share one list.
    if (can === undefined || can === last) continue
    last = can
    common = common === undefined ? can : common.filter((right) => can.includes(right))
  }
  found.set(entries, common)
  return common
}

/** May this be done in the folder itself, by default: can something be put there? Yes, until the server has told otherwise. */
export const mayIn = (folder: string, verb: Verb = 'create'): boolean => may(verb, [folderKnown(folder) ?? {}])

/** Can something be made there and opened? Into a letter box it can be put, and is not seen any more. */
export const mayMakeIn = (folder: string): boolean =>
  mayIn(folder) && folderKnown(folder)?.can?.includes('see') !== false

/** What is in it does not show: who puts a file there cannot know that its name is taken. */
export function isLetterBox(folder: string): boolean {
  const rights = folderKnown(folder)?.can
  return rights?.includes('create') === true && !rights.includes('see')
}

const isBelowTop = ({ path = '/' }: Mount): boolean => path !== '/'

/** At the top of a tree of several mounts there are these, and nothing else. */
const top: Capable = { can: ['see'] }

/** The folder as its own listing tells it, or the one above. */
function folderKnown(path: string): Capable | undefined {
  const own = cache().getQueryData<Entry>(resourceKey(path))
  if (own !== undefined) return own
  if (path === '/') return cache().getQueryData<Mount[]>(['mounts'])?.some(isBelowTop) ? top : undefined
  const above = cache().getQueryData<Partial<Folder>>(resourceKey(parentOf(path)))
  return above?.items?.find(({ name }) => name === nameOf(path))
}

/** May copies be taken of these entries? A guest who can put nothing into the folder at hand has most likely no other. */
export const mayCopy = (entries: readonly Capable[], folder: string): boolean =>
  may('copy', entries) && (!isGuest() || mayIn(folder))

/** May these entries go to that folder? */
export const mayTransfer = (action: 'copy' | 'rename', entries: readonly Capable[], to: string): boolean =>
  may(action === 'copy' ? 'copy' : 'move', entries) && mayIn(to, action === 'copy' ? 'create' : 'receive')
