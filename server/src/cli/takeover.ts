import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { systemClock } from '../clock.ts'
import { type Config, configFileFor, type Given, knownRoot, namesDatabase, readConfig } from '../config/config.ts'
import { type Databases, followed, nameBeside } from '../config/databases.ts'
import type { ConfigFile } from '../config/file.ts'
import { isMissing, isPredecessors, requireFile, requireSqliteFile } from '../database/kinds.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { Failure, isFailure } from '../failure.ts'
import { documentOf } from '../settings/store.ts'
import { takeoverIn } from '../takeover/document.ts'
import { sourceInBolt } from '../takeover/from-bolt.ts'
import { isExport, sourceInExport } from '../takeover/from-exports.ts'
import { inspectFiles } from '../takeover/inspection.ts'
import { type Plan, plannedServer, planTakeover } from '../takeover/plan.ts'
import type { Source } from '../takeover/source.ts'
import { detailsOf, summaryOf } from '../takeover/summary.ts'
import { takeOver } from '../takeover/take-over.ts'
import { locate, requireUsable } from './database.ts'
import { requireFolder } from './folder.ts'
import { ownedAsBefore } from './ownership.ts'
import { notice, say } from './say.ts'
import { shown } from './table.ts'

/** Moves over from what was named, by hand; with --dry-run it only tells what would happen. */
export async function takeover(given: Given): Promise<void> {
  const configFile = configFileFor(given)
  const names = namesIn(given)
  const sources: Source[] = []
  try {
    for (const name of names) sources.push(sourceAt(name))
    const file = targetFor(names, given, configFile)
    const server = plannedServer(sources)
    const root = knownRoot({ root: given.root }, server, configFile)
    const followsLinks = server.followExternalSymlinks === true
    const look = root === undefined ? undefined : inspectFiles(root, { followsLinks })
    const plan = planTakeover(sources, look, systemClock.unixSeconds())
    if (given.dryRun !== 'true') await ownedAsBefore(file, () => write(file, plan))
    tell(given.dryRun === 'true' ? [...detailsOf(plan.report), '', 'Nothing was written.'] : detailsOf(plan.report))
    if (given.report !== undefined) writeReport(String(given.report), plan)
    if (given.dryRun === 'true') return
    say(`\nTaken over into ${file}\nNow start it: filestead -d ${file}`)
    if (names.some(isExport)) notice('Remove the exports when all is well: they hold passwords and keys')
  } finally {
    for (const source of sources) source.close()
  }
}

/** How long a start may wait for a disk that only has to be looked at. */
const patience = 3000

/** At the first start over a database of File Browser. Later ones find ours and leave the old one alone. */
export async function takeOverAtStart(
  { ours, predecessor }: Databases,
  flags: Given,
  configFile: ConfigFile,
  claim: (config: Config) => void,
): Promise<void> {
  if (predecessor === undefined || (await isDone(ours, predecessor))) return
  const source = sourceInBolt(predecessor)
  try {
    // Bad values, missing folders and taken ports are told before anything is made.
    const config = readConfig(flags, plannedServer([source]), configFile)
    const { root, followExternalSymlinks } = config
    requireFolder(root)
    claim(config)
    const look = inspectFiles(root, { followsLinks: followExternalSymlinks, timeLimit: patience })
    const plan = planTakeover([source], look, systemClock.unixSeconds())
    try {
      await write(ours, plan)
    } catch (error) {
      // Another process may have been faster.
      if (isFailure(error, 'already-exists') && (await isDone(ours, predecessor))) return
      throw error
    }
    tell(summaryOf(plan.report, ours))
  } finally {
    source.close()
  }
}

function namesIn(given: Given): string[] {
  const named = (given.from ?? []) as string[]
  if (named.length > 0) return named.map((name) => resolve(name))
  const { predecessor } = locate(given)
  if (predecessor === undefined)
    throw new Failure('invalid', 'Name the database of File Browser: --from filebrowser.db')
  return [predecessor]
}

function sourceAt(name: string): Source {
  if (isMissing(name)) throw new Failure('not-found', `${name} does not exist, or is empty`)
  requireFile(name)
  if (isPredecessors(name)) return sourceInBolt(name)
  if (isExport(name)) return sourceInExport(name)
  throw new Failure(
    'invalid',
    `${name} is neither a database of File Browser nor an export of one (.json, .yaml or .yml)`,
  )
}

/** Where somebody says, or else beside the old database, where a start with the old flags looks for it. */
function targetFor(names: readonly string[], given: Given, configFile: ConfigFile): string {
  const bolt = names.find((name) => !isExport(name))
  if (bolt !== undefined && !namesDatabase(given, configFile)) return followed(nameBeside(bolt))
  const location = locate(given)
  requireUsable(location)
  return location.file
}

async function isDone(ours: string, predecessor: string): Promise<boolean> {
  if (isMissing(ours)) return false
  const db = await openDatabase(ours)
  try {
    if ((await takeoverIn(db)) !== undefined) return true
    // A first try may have been cut off before anything was written.
    if ((await documentOf(db, 'settings')) === undefined) return false
  } finally {
    await db.destroy()
  }
  throw new Failure(
    'already-exists',
    `${ours} lies beside ${predecessor}, but was not made from it. Start with -d ${ours} if that is the one you mean; otherwise move it away.`,
  )
}

async function write(file: string, plan: Plan): Promise<void> {
  requireSqliteFile(file)
  const db = await made(file)
  try {
    await takeOver(db, plan)
  } finally {
    await db.destroy()
  }
}

async function made(file: string): Promise<Kysely<Database>> {
  try {
    return await openDatabase(file)
  } catch (cause) {
    throw new Failure(
      'forbidden',
      `${file} cannot be made: ${(cause as Error).message}. Name another place with 'filestead takeover --from FILE -d PLACE'.`,
      { cause },
    )
  }
}

function writeReport(file: string, { report }: Plan): void {
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 })
  notice(`Report: ${file}`)
}

const tell = (lines: readonly string[]): void => say(lines.map(shown).join('\n'))
