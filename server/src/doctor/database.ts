import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Settings } from '@filestead/contract'
import { shownAddress } from '../database/address.ts'
import { isFromNewerVersion } from '../database/migrations/migrations.ts'
import { isOutOfRoom } from '../database/sqlite/refusals.ts'
import { accountName } from '../storage/linux/account.ts'
import { version } from '../version.ts'
import { mayChange, mayRead, mayWrite, nearestFolder, statOf } from './access.ts'
import { type Finding, findingsAbout } from './finding.ts'
import { examineNodes } from './nodes.ts'
import { type DatabaseFacts, factsAt, factsIn } from './store.ts'

const about = findingsAbout('Database')

export interface DatabaseExamined {
  readonly findings: readonly Finding[]
  /** Undefined where there is no database yet. */
  readonly facts: DatabaseFacts | undefined
}

/** `isMissing` counts an empty file as none. */
export async function examineDatabase(file: string, isMissing: boolean): Promise<DatabaseExamined> {
  const folder = nearestFolder(dirname(file))
  if (!mayChange(folder)) return told(unwritable(folder))
  if (isMissing && (!existsSync(file) || mayWrite(file)))
    return told(about.note(`${file} does not exist yet; the first start makes it, with an administrator.`))
  if (!mayRead(file) || !mayWrite(file))
    return told(
      about.bad(
        `Account ${accountName()} may not read and write ${file}.`,
        `Give it to the account: chown ${accountName()} ${file}*`,
      ),
    )
  let facts: DatabaseFacts
  try {
    facts = factsIn(file)
  } catch (error) {
    return told(isOutOfRoom(error) ? withoutRoom(file) : damaged(file, (error as Error).message))
  }
  if (facts.damage !== undefined) return told(damaged(file, facts.damage))
  if (isFromNewerVersion(facts.migrations)) return told(newer(file))
  return { facts, findings: [...judged(file, facts), ...openToOthers(file), ...(await onNetwork(folder))] }
}

/** One that is no file, but behind an address. */
export async function examineServer(address: string): Promise<DatabaseExamined> {
  const shown = shownAddress(address)
  let facts: Awaited<ReturnType<typeof factsAt>>
  try {
    facts = await factsAt(address)
  } catch (error) {
    return told(
      about.bad(
        (error as Error).message,
        'Correct the address, or see docs/operating/postgresql.md for what it needs.',
      ),
    )
  }
  if (isFromNewerVersion(facts.migrations)) return told(newer(shown))
  if (facts.migrations.length === 0)
    return told(about.note(`${shown} is empty; the first start makes its tables, with an administrator.`))
  return { facts, findings: [...judged(shown, facts), ...examineNodes(facts.nodes, version)] }
}

const newer = (database: string): Finding =>
  about.bad(
    `${database} was last used by a newer Filestead than this one.`,
    'Install that version again, or restore a backup that was made with this one.',
  )

const told = (finding: Finding): DatabaseExamined => ({ findings: [finding], facts: undefined })

const unwritable = (folder: string): Finding =>
  about.bad(
    `Account ${accountName()} may not write into ${folder}, where the database is to be kept.`,
    `Give it the folder: chown ${accountName()} ${folder}, or name another place with --database.`,
  )

const damaged = (file: string, reason: string): Finding =>
  about.bad(
    `${file} is damaged (${reason.split('\n')[0]}).`,
    'Keep a copy of it, then restore your last backup: filestead restore BACKUP. Look whether the disk is failing, too.',
  )

/** SQLite reports an error of input and output here, and to restore a backup would be the wrong advice. */
const withoutRoom = (file: string): Finding =>
  about.bad(
    `${file} cannot be opened: the disk is full.`,
    'Delete what is not needed, or move the database to a larger disk.',
  )

/** Undefined where there is a user, or where accounts are made as people arrive. */
export function examineUsers(file: string, users: number, settings: Settings): Finding | undefined {
  if (users > 0 || settings.signup || settings.authMethod === 'proxy' || settings.authMethod === 'hook')
    return undefined
  return about.bad(
    'There is no user: nobody can sign in.',
    `Add an administrator: filestead users add NAME --perm.admin -d ${file}`,
  )
}

function* judged(file: string, { users, administrators, documents }: DatabaseFacts): Generator<Finding> {
  const none =
    documents.settings === undefined ? undefined : examineUsers(file, users, Settings.parse(documents.settings))
  yield none ?? about.good(`${file}, ${users} ${users === 1 ? 'user' : 'users'}`)
  if (users > 0 && administrators === 0)
    yield about.warning(
      'No user is an administrator: nobody can change settings in the browser.',
      'Make a user one: filestead users update NAME --perm.admin',
    )
}

function* openToOthers(file: string): Generator<Finding> {
  const mode = (statOf(file)?.mode ?? 0) & 0o077
  if (mode !== 0)
    yield about.warning(
      'Other accounts of this machine can open the database, which holds password hashes and the key that signs sign-ins.',
      `Close it: chmod 600 ${file}*`,
    )
}

const networkDisks = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
])

async function* networkFindings(folder: string): AsyncGenerator<Finding> {
  const kind = networkDisks.get((await statfs(folder)).type)
  if (kind !== undefined)
    yield about.warning(
      `The database lies on a network disk (${kind}), where it can be damaged when the connection breaks.`,
      'Keep it on a disk of this machine with --database; the served files may well be on the network.',
    )
}

const onNetwork = (folder: string): Promise<Finding[]> => Array.fromAsync(networkFindings(folder))
