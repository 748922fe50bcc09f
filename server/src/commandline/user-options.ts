import { permissionNames, type UserDefaults } from '@filestead/contract'
import { type Command, Option } from 'commander'
import type { Given } from '../config.ts'
import { Failure } from '../failure.ts'

const texts = {
  scope: 'folder below the root that the user sees',
  locale: 'language, for example en or pt-br',
  viewMode: 'list or mosaic',
  'sorting.by': 'name, size or modified',
} as const

const switches = {
  singleClick: 'open with a single click',
  redirectAfterCopyMove: 'go to the target folder after a copy or move',
  hideDotfiles: 'hide files whose name begins with a dot',
  dateFormat: 'show exact dates',
  lockPassword: 'the user cannot change the password',
  'sorting.asc': 'sort in ascending order',
} as const

export function addUserOptions(command: Command): Command {
  for (const [name, help] of Object.entries(texts)) command.addOption(new Option(`--${name} <value>`, help))
  for (const [name, help] of Object.entries(switches)) command.addOption(new Option(`--${name} [yes]`, help))
  for (const name of permissionNames) command.addOption(new Option(`--perm.${name} [yes]`, `may ${name}`))
  return command
}

export interface UserWishes extends Partial<UserDefaults> {
  lockPassword?: boolean
}

/** What the flags ask for, on top of `base`; what no flag names stays as it is. */
export function userWishes(given: Given, base: UserDefaults): UserWishes {
  const flag = (name: string): boolean | undefined => (given[name] === undefined ? undefined : isYes(name, given[name]))
  const wishes: Given = { perm: { ...base.perm }, sorting: { ...base.sorting } }
  for (const name of ['scope', 'locale', 'viewMode']) if (given[name] !== undefined) wishes[name] = given[name]
  for (const name of ['singleClick', 'redirectAfterCopyMove', 'hideDotfiles', 'dateFormat', 'lockPassword'])
    if (flag(name) !== undefined) wishes[name] = flag(name)
  const sorting = { by: given['sorting.by'] ?? base.sorting.by, asc: flag('sorting.asc') ?? base.sorting.asc }
  const perm = Object.fromEntries(permissionNames.map((name) => [name, flag(`perm.${name}`) ?? base.perm[name]]))
  return { ...wishes, sorting, perm } as UserWishes
}

function isYes(name: string, value: unknown): boolean {
  if (value === true || value === 'true') return true
  if (value === 'false') return false
  throw new Failure('invalid', `--${name} takes true or false, not ${JSON.stringify(value)}`)
}
