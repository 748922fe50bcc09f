import {
  hasRight,
  noRights,
  type Right,
  type RightSet,
  rightNames,
  rightSet,
  rightsIn,
  type Why,
} from '@filestead/contract'
import { Granted, type Spelling } from '../access/granted.ts'
import { type Location, mountOf, pathIn } from '../mounts/location.ts'
import { toWire } from './grants.ts'
import type { StoredGrant } from './store.ts'

/** A grant for one of the person's subjects, with what its subject is called. */
export interface PersonalGrant extends StoredGrant {
  readonly name: string
  /** The folder of the account's scope, which counts as a grant of all rights. */
  readonly isHome: boolean
}

/** All that decides what one person may do at one location. */
export interface WhyFacts {
  /** The name of an account; undefined for guests. */
  readonly person: string | undefined
  readonly location: Location
  readonly grants: readonly PersonalGrant[]
  readonly spell?: Spelling
  readonly mount: { readonly name: string; readonly readOnly: boolean }
  /** The rights that the permissions of the account leave. */
  readonly permitted: RightSet
  /** What hides the path besides grants, as a text for people: a rule, or the wish to hide dotfiles. */
  readonly hiddenBy?: Hiding | undefined
}

export interface Hiding {
  readonly reason: string
  readonly change: string
}

const guests = 'Guests'
const withheldByReadOnly = rightSet('create', 'change', 'delete')

/** What one person may do at one place, which grants decide it, and what would have to change: a pure function. */
export function explain(facts: WhyFacts): Why {
  const { location, grants, mount, permitted, hiddenBy } = facts
  const granted = new Granted(grants, facts.spell)
  const given = granted.rightsAt(location)
  const limited = given & permitted & (mount.readOnly ? ~withheldByReadOnly : ~0)
  const rights = hiddenBy === undefined ? limited : noRights
  const isCorridor = hiddenBy === undefined && given === noRights && granted.leadsOn(location)
  const deciding = decidingAt(facts, granted.decidingDepth(location))
  const findings: Findings = { ...facts, person: facts.person ?? guests, given, rights, isCorridor, deciding }
  return {
    rights: rightsIn(rights),
    isCorridor,
    deciding: deciding.map((grant) => ({ ...toWire(grant, grant.name), isHome: grant.isHome })),
    // The name of an account stays as it is written.
    reason: `${reasonsIn(findings).join('; ')}.`,
    change: sentence(changesIn(findings).join(', and ')),
  }
}

/** The grants for the folder that decides; `depth` is how many names its path has. */
function decidingAt({ location, grants, spell = (_mount, name) => name }: WhyFacts, depth: number): PersonalGrant[] {
  if (depth < 0) return []
  const spelled = (place: Location, names = Number.POSITIVE_INFINITY): string =>
    pathIn(place)
      .split('/')
      .filter(Boolean)
      .slice(0, names)
      .map((name) => spell(mountOf(place), name))
      .join('/')
  const folder = spelled(location, depth)
  return grants.filter((grant) => mountOf(grant.location) === mountOf(location) && spelled(grant.location) === folder)
}

interface Findings extends WhyFacts {
  readonly person: string
  readonly given: RightSet
  readonly rights: RightSet
  readonly isCorridor: boolean
  readonly deciding: readonly PersonalGrant[]
}

function reasonsIn(findings: Findings): string[] {
  const { person, mount, given, permitted, hiddenBy, isCorridor } = findings
  const lacking = rightsIn(given & ~permitted)
  const notHere = mount.readOnly ? rightsIn(given & permitted & withheldByReadOnly) : []
  return [
    decisionIn(findings),
    ...(lacking.length > 0 ? [lackText(person, lacking)] : []),
    ...(notHere.length > 0
      ? [`${quoted(mount.name)} is read-only, so ${person} cannot ${list(notHere.map(verbOf), 'or')}`]
      : []),
    ...(hiddenBy === undefined ? [] : [hiddenBy.reason]),
    ...(isCorridor ? [`only the names that lead to folders with grants below show`] : []),
  ]
}

const lackText = (person: string, lacking: readonly Right[]): string => {
  const verbs = list(lacking.map(verbOf))
  return person === guests
    ? `but to ${verbs} takes an account`
    : `the account of ${person} lacks the permission to ${verbs}`
}

function decisionIn({ person, location, mount, given, deciding }: Findings): string {
  if (deciding.length === 0)
    return `${person} may do nothing in ${placeText(mount.name, location)}: no grant for ${subjectsOf(person)} is for this folder or one above it`
  const [first] = deciding
  const where = placeText(mount.name, first?.location ?? location)
  const sources = deciding.map(({ isHome, subject, name }) =>
    isHome ? `the home of ${person}` : `the grant for ${subjectText(subject, name)}`,
  )
  const because = `${list(sources)} in ${where}`
  if (given === noRights)
    return `${person} may do nothing here: ${because} ${sources.length > 1 ? 'allow' : 'allows'} nothing from there on down`
  return `${person} may ${list(rightsIn(given).map(verbOf))} here by ${because}`
}

function changesIn({ person, mount, given, rights, permitted, deciding, hiddenBy, location }: Findings): string[] {
  const missing = rightNames.filter((right) => !hasRight(rights, right))
  if (missing.length === 0)
    return [
      `nothing is missing; to allow less, give ${person} a grant with fewer rights for this folder, which then decides`,
    ]
  const changes: string[] = []
  if (hiddenBy !== undefined) changes.push(hiddenBy.change)
  const ungranted = missing.filter((right) => !hasRight(given, right))
  if (ungranted.length > 0) changes.push(grantChange(person, ungranted, deciding, location))
  const lacking = rightsIn(given & ~permitted)
  if (lacking.length > 0)
    changes.push(
      person === guests
        ? 'guests have to sign in for that'
        : `give the account the permission to ${list(lacking.map(verbOf))}`,
    )
  if (mount.readOnly && (given & withheldByReadOnly) !== noRights) changes.push(`make ${quoted(mount.name)} writable`)
  return changes
}

function grantChange(
  person: string,
  ungranted: readonly Right[],
  deciding: readonly PersonalGrant[],
  location: Location,
): string {
  const verbs = list(ungranted.map(verbOf))
  const isHere = deciding.some((grant) => grant.location === location && !grant.isHome)
  if (isHere) return `add to a grant for this folder what shall be allowed: ${verbs}`
  const more = deciding.length === 0 ? '' : ', with all that shall be allowed here, because it then decides alone'
  return `to let ${person} ${verbs}, make a grant for ${subjectsOf(person)} in this folder${more}`
}

/** 'Files:/a/b', as commands take it. */
export const placeText = (mount: string, location: Location): string => `${mount}:${pathIn(location)}`

const subjectsOf = (person: string): string =>
  person === guests ? 'guests' : `${person}, a group of ${person} or everybody`

const subjectText = (subject: string, name: string): string =>
  subject === 'guest' ? 'guests' : subject.startsWith('group:') ? `the group ${quoted(name)}` : name

const verbs: Readonly<Record<Right, string>> = {
  see: 'see',
  download: 'download',
  create: 'add files',
  change: 'change files',
  delete: 'delete',
  share: 'share',
}
const verbOf = (right: Right): string => verbs[right]

const quoted = (name: string): string => JSON.stringify(name)

const list = (items: readonly string[], last = 'and'): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
