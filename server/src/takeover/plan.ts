import { posix } from 'node:path'
import type { AuthSettings, Settings, TakeoverReport } from '@filestead/contract'
import type { Given } from '../config/config.ts'
import { Failure } from '../failure.ts'
import { parsePath } from '../storage/path.ts'
import type { Account } from '../users/store.ts'
import { type Changes, collectChanges } from './changes.ts'
import type { FileInspection } from './inspection.ts'
import { serverFrom } from './server.ts'
import { authFrom, hasCommands, keyFrom, noteSettings, settingsFrom } from './settings.ts'
import { type KeptShare, type Owner, outcomeOf } from './shares.ts'
import type { Source } from './source.ts'
import { accountFrom } from './users.ts'

export type Part = 'settings' | 'users' | 'shares'

/** All that will be written, and the report about it. Making a plan changes nothing. */
export interface Plan {
  readonly report: TakeoverReport
  readonly parts: readonly Part[]
  /** Files that contain the signing key and hashes, and are never served. */
  readonly files: readonly string[]
  readonly config: PlannedConfig | undefined
  readonly lastId: number
  /** There are commands or hooks that an administrator has to confirm. */
  readonly awaitsConfirmation: boolean
  accounts(): Iterable<Account>
  shares(): Iterable<KeptShare>
}

export interface PlannedConfig {
  readonly settings: Settings
  readonly auth: AuthSettings
  readonly server: Given
  /** Undefined where a new one has to be made. */
  readonly key: Uint8Array | undefined
}

/** The server options alone, which name the folder that a plan inspects. */
export const plannedServer = (sources: readonly Source[]): Given => {
  const server = sources.find(({ config }) => config !== undefined)?.config?.server
  return server === undefined ? {} : serverFrom(server, collectChanges())
}

export function planTakeover(sources: readonly Source[], files: FileInspection | undefined, now: number): Plan {
  const changes = collectChanges()
  const old = only(sources, 'settings', ({ config }) => config !== undefined)?.config
  const config = old && {
    settings: settingsFrom(old.settings, changes),
    auth: authFrom(old.auther),
    server: serverFrom(old.server, changes),
    key: keyFrom(old.settings, changes),
  }
  if (config !== undefined && old !== undefined) noteSettings(config.settings, old.server, changes)

  for (const { name, mayBeOlder } of sources) if (mayBeOlder) changes.add('may-be-older', name)

  const withUsers = only(sources, 'users', ({ has }) => has.users)
  const withShares = only(sources, 'shares', ({ has }) => has.shares)
  function* accounts(notes: Changes = collectChanges()): Generator<Account> {
    const around = { source: withUsers?.name ?? '', globalRules: config?.settings.rules ?? [] }
    for (const user of withUsers?.users() ?? []) yield accountFrom(user, around, notes)
  }
  const facts = accountFactsOf(accounts(changes), withUsers?.name ?? '')
  noteUsers(facts, files, withUsers !== undefined, changes)
  noteCommands(config?.settings, facts, old?.server.enableexec ?? false, changes)
  if (facts.withHiddenDotfiles.length > 0) changes.add('dotfiles-hidden', someOf(facts.withHiddenDotfiles))
  const shareCount = noteShares(withShares, facts, files, now, changes)
  if (files !== undefined && withUsers !== undefined)
    for (const path of files.linksLeaving(new Set(facts.homes.keys()))) changes.add('link-leaves-scope', path)
  if (withUsers !== undefined && !files?.isComplete()) changes.add('not-looked')

  return {
    report: {
      when: now,
      from: sources.map(({ name }) => name).join(', '),
      taken: {
        settings: config !== undefined,
        users: facts.owners.size,
        shares: shareCount,
        rules: (config?.settings.rules.length ?? 0) + facts.ruleCount,
      },
      changes: changes.list(),
    },
    parts: [
      ...(config === undefined ? [] : ['settings' as const]),
      ...(withUsers === undefined ? [] : ['users' as const]),
      ...(withShares === undefined ? [] : ['shares' as const]),
    ],
    files: sources.flatMap(({ files }) => files),
    config,
    lastId: Math.max(facts.lastId, ...sources.map(({ lastId }) => lastId)),
    awaitsConfirmation: facts.withCommands.length > 0 || (config !== undefined && hasCommands(config.settings)),
    accounts: () => accounts(),
    *shares() {
      for (const share of withShares?.shares() ?? []) {
        const outcome = outcomeOf(share, facts.owners, now)
        if ('row' in outcome) yield outcome
      }
    },
  }
}

function only(sources: readonly Source[], what: string, has: (source: Source) => boolean): Source | undefined {
  const [first, second] = sources.filter(has)
  if (first !== undefined && second !== undefined)
    throw new Failure('invalid', `Both ${first.name} and ${second.name} hold ${what}`)
  return first
}

interface AccountFacts {
  readonly owners: Map<number, Owner>
  /** Scopes as paths, and the names of their users. */
  readonly homes: Map<string, string[]>
  readonly withCommands: string[]
  readonly withHiddenDotfiles: string[]
  hasAdmin: boolean
  lastId: number
  ruleCount: number
}

function accountFactsOf(accounts: Iterable<Account>, source: string): AccountFacts {
  const facts: AccountFacts = {
    owners: new Map(),
    homes: new Map(),
    withCommands: [],
    withHiddenDotfiles: [],
    hasAdmin: false,
    lastId: 0,
    ruleCount: 0,
  }
  const names = new Set<string>()
  for (const { user } of accounts) {
    if (names.has(user.username) || facts.owners.has(user.id))
      throw new Failure(
        'invalid',
        `${source}: there are two users ${JSON.stringify(user.username)}, or two with the number ${user.id}`,
      )
    names.add(user.username)
    const scope = parsePath(posix.join('/', user.scope))
    facts.owners.set(user.id, { scope, mayShare: user.perm.share && user.perm.download })
    const inHome = facts.homes.get(scope) ?? []
    facts.homes.set(scope, inHome)
    inHome.push(user.username)
    if (user.commands.length > 0) facts.withCommands.push(user.username)
    if (user.hideDotfiles) facts.withHiddenDotfiles.push(user.username)
    facts.hasAdmin ||= user.perm.admin
    facts.lastId = Math.max(facts.lastId, user.id)
    facts.ruleCount += user.rules.length
  }
  return facts
}

function noteUsers(
  { homes, hasAdmin }: AccountFacts,
  files: FileInspection | undefined,
  hasUsers: boolean,
  changes: Changes,
): void {
  if (hasUsers && !hasAdmin) changes.add('no-administrator')
  for (const [scope, names] of homes) {
    if (scope === '/') continue
    if (names.length > 1) changes.add('home-shared', `${scope}: ${someOf(names)}`)
    if (files?.folder(scope) === false) changes.add('home-missing', `${scope}: ${someOf(names)}`)
  }
}

function noteCommands(settings: Settings | undefined, facts: AccountFacts, wasOn: boolean, changes: Changes): void {
  const events = Object.entries(settings?.commands ?? {}).filter(([, lines]) => lines.length > 0)
  const subjects = [...events.map(([event]) => event), ...facts.withCommands]
  if (subjects.length > 0 || wasOn) changes.add('commands-off', someOf(subjects))
}

/** Adds the counts of shares to the report. */
function noteShares(
  source: Source | undefined,
  { owners }: AccountFacts,
  files: FileInspection | undefined,
  now: number,
  changes: Changes,
): number {
  let count = 0
  let tokens = 0
  for (const share of source?.shares() ?? []) {
    const subject = `${share.hash} ${share.path}`
    const outcome = outcomeOf(share, owners, now)
    if ('leftBehind' in outcome) {
      changes.add(outcome.leftBehind, subject)
      continue
    }
    count += 1
    if (outcome.tokenHash !== '') tokens += 1
    const owner = owners.get(share.userid)
    if (!owner?.mayShare) changes.add('share-shut', subject)
    const found = owner && files?.entry(owner.scope, outcome.path)
    if (found === 'missing') changes.add('share-missing', subject)
    if (found === 'outside') changes.add('share-outside', subject)
  }
  if (tokens > 0) changes.add('share-tokens-kept', tokens === 1 ? '1 link' : `${tokens} links`)
  return count
}

const shownNames = 5

const someOf = (names: readonly string[]): string =>
  names.length > shownNames
    ? `${names.slice(0, shownNames).join(', ')}, +${names.length - shownNames}`
    : names.join(', ')
