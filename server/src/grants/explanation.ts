import { allRights, type Right, type Rule, rightSet, type Subject, type User, type Why } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Spelling } from '../access/granted.ts'
import { folded, isShortened, visibilityOf } from '../access/rules.ts'
import { homeOf, type Tree, treeOf } from '../access/tree.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { groupIdsOf } from '../groups/store.ts'
import { isInStore, isWithin, type Location, locationIn, mountOf, pathIn, relativeTo } from '../mounts/location.ts'
import { resolvedOrAsWritten } from '../mounts/resolved.ts'
import { allMounts } from '../mounts/store.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { rootPath } from '../storage/path.ts'
import { accountWithId } from '../users/store.ts'
import { namesOfSubjects, type StorageAt } from './grants.ts'
import { grantsOfAny } from './store.ts'
import { explain, type Hiding, type PersonalGrant } from './why.ts'

export interface WhyDeps {
  db: Kysely<Database>
  settings: ReadSettings
  /** As for grants: without it, symlinks and names in other cases are not looked at. */
  storageAt?: StorageAt | undefined
}

/**
 * Which grants, rules and permissions decide what a person may do at a location. Rights are asked for there and at the
 * place that symlinks lead to, so the one that allows less is told.
 */
export async function whyFor(deps: WhyDeps, subject: Subject, location: Location): Promise<Why> {
  const here = await whyAt(deps, subject, location)
  const real = deps.storageAt === undefined ? location : await resolvedOrAsWritten(deps.storageAt, location)
  if (real === location) return here
  const there = await whyAt(deps, subject, real)
  const rights = here.rights.filter((right) => there.rights.includes(right))
  if (rights.length === here.rights.length) return here
  return { ...there, rights, reason: `A symlink leads to ${pathIn(real)}: ${there.reason}` }
}

async function whyAt(deps: WhyDeps, subject: Subject, location: Location): Promise<Why> {
  const { db } = deps
  const foldsCase = (id: number) => foldsCaseIn(deps, id)
  const mount = (await allMounts(db)).find(({ id }) => id === mountOf(location))
  if (mount === undefined) throw new Failure('invalid', `there is no root folder ${mountOf(location)}`)
  const user = subject === 'guest' ? undefined : await requirePerson(db, subject)
  const person = user?.username ?? 'guests'
  return explain({
    person: user?.username,
    location,
    mount,
    grants: await grantsOfPerson(db, user),
    spell: spellingOf(foldsCase),
    permitted: user === undefined ? guestRights : permittedTo(user),
    hiddenBy: hidingAt(location, {
      person,
      rules: [...(await deps.settings()).rules, ...(user?.rules ?? [])],
      hideDotfiles: user?.hideDotfiles ?? false,
      home: user && homeOf(user.scope),
      foldsCase: foldsCase(mountOf(location)),
    }),
  })
}

/** What a person sees at '/'. */
export async function treeOfPerson(db: Kysely<Database>, subject: Subject): Promise<Tree> {
  const user = subject === 'guest' ? undefined : await requirePerson(db, subject)
  const grants = (await grantsOfPerson(db, user)).filter(({ isHome }) => !isHome)
  return treeOf(user && homeOf(user.scope), await allMounts(db), grants)
}

async function requirePerson(db: Kysely<Database>, subject: Subject): Promise<User> {
  const [kind, id] = subject.split(':')
  if (kind !== 'user') throw new Failure('invalid', 'why is asked about a user or about guests')
  const account = await accountWithId(db, Number(id))
  if (account === undefined) throw new Failure('invalid', `there is no user ${id}`)
  return account.user
}

function foldsCaseIn({ storageAt }: WhyDeps, mount: number): boolean {
  try {
    return storageAt?.(locationIn(mount, rootPath)).capabilities.foldsCase ?? false
  } catch {
    return false
  }
}

async function grantsOfPerson(db: Kysely<Database>, user: User | undefined): Promise<PersonalGrant[]> {
  const subjects: Subject[] =
    user === undefined
      ? ['guest']
      : [`user:${user.id}`, 'everybody', ...(await groupIdsOf(db, user.id)).map((id) => `group:${id}`)]
  const nameOf = await namesOfSubjects(db)
  const stored = (await grantsOfAny(db, subjects)).filter(({ location }) => !isInStore(location))
  const home = user && {
    id: 0,
    subject: `user:${user.id}`,
    name: user.username,
    location: homeOf(user.scope),
    rights: allRights,
    isHome: true,
  }
  return [
    ...(home === undefined ? [] : [home]),
    ...stored.map((grant) => ({ ...grant, name: nameOf(grant.subject), isHome: false })),
  ]
}

/** The permissions of an account are the upper limit of what grants give. */
function permittedTo({ perm }: User): number {
  const rights: Right[] = ['see']
  if (perm.download) rights.push('download')
  if (perm.create) rights.push('create')
  if (perm.modify) rights.push('change')
  if (perm.delete) rights.push('delete')
  if (perm.share && perm.download) rights.push('share')
  return rightSet(...rights)
}

/** A link belongs to an account. */
const guestRights = allRights & ~rightSet('share')

const spellingOf =
  (foldsCase: (mount: number) => boolean): Spelling =>
  (mount, name) =>
    !foldsCase(mount) ? name : isShortened(`/${name}`) ? undefined : folded(name)

interface HidingFacts {
  readonly person: string
  readonly rules: readonly Rule[]
  readonly hideDotfiles: boolean
  readonly home: Location | undefined
  readonly foldsCase: boolean
}

/** The rules are asked about the path from the home where the location is in it, else about the path in its mount. */
function hidingAt(
  location: Location,
  { person, rules, hideDotfiles, home, foldsCase }: HidingFacts,
): Hiding | undefined {
  const path = home !== undefined && isWithin(location, home) ? relativeTo(home, location) : pathIn(location)
  const isPermitted = (some: readonly Rule[]) => visibilityOf(some, false, { foldsCase }).permits(path)
  if (!isPermitted(rules)) {
    const index = rules.findIndex((_rule, at) => isPermitted(rules.toSpliced(at, 1)))
    const rule = rules[index]
    const text =
      rule === undefined ? 'rules' : `the rule ${JSON.stringify(rule.regex ? (rule.regexp?.raw ?? '') : rule.path)}`
    return {
      reason: `${text} ${rule === undefined ? 'hide' : 'hides'} it from ${person}`,
      change: `change ${rule === undefined ? 'the rules of the instance or the account' : text}`,
    }
  }
  if (!visibilityOf([], hideDotfiles, { foldsCase }).sees(path))
    return {
      reason: `${person} hides names that begin with a dot`,
      change: 'switch that off in the profile of the account',
    }
  return undefined
}
