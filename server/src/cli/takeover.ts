import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { systemClock } from '../clock.ts'
import { type Config, configFileFor, type Given, knownRoot, namesDatabase, readConfig } from '../config/config.ts'
import { type Databases, isInFile, nameBeside, symlinkTarget } from '../config/databases.ts'
import type { ConfigFile } from '../config/file.ts'
import { shownAddress } from '../database/address.ts'
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
import { writePlan } from '../takeover/write.ts'
import { locate, ofCommands, requireUsable } from './database.ts'
import { notice, print, printable } from './output.ts'
import { ownedAsBefore } from './ownership.ts'
import { requireFolder } from './serve/start-errors.ts'

/** The command `takeover`; with --dry-run it only prints the plan. */
export async function takeover(given: Given): Promise<void> {
  const configFile = configFileFor(given)
  const names = namesIn(given)
  const sources: Source[] = []
  try {
    for (const name of names) sources.push(sourceAt(name))
    const target = targetFor(names, given, configFile)
    const server = plannedServer(sources)
    const root = knownRoot({ root: given.root }, server, configFile)
    const followsLinks = server.followExternalSymlinks === true
    const look = root === undefined ? undefined : inspectFiles(root, { followsLinks })
    const plan = planTakeover(sources, look, systemClock.unixSeconds())
    if (given.dryRun !== 'true') await ownedAsBefore(target.file, () => write(target, plan))
    tell(given.dryRun === 'true' ? [...detailsOf(plan.report), '', 'Nothing was written.'] : detailsOf(plan.report))
    if (given.report !== undefined) writeReport(String(given.report), plan)
    if (given.dryRun === 'true') return
    const shown = shownAddress(target.address)
    print(`\nTaken over into ${shown}\nNow start it: filestead -d ${shown}`)
    if (names.some(isExport)) notice('Remove the exports when all is well: they hold passwords and keys')
  } finally {
    for (const source of sources) source.close()
  }
}

/** In milliseconds: how long a start inspects the files before it goes on. */
const inspectionTimeout = 3000

/** Takes over a database of File Browser at the first start. Later starts find the new database and leave the old one alone. */
export async function takeOverAtStart(
  { file, predecessor }: Databases,
  flags: Given,
  configFile: ConfigFile,
  claim: (config: Config) => Promise<unknown>,
): Promise<void> {
  if (predecessor === undefined || (await isDone(file, predecessor))) return
  const source = sourceInBolt(predecessor)
  try {
    // Bad values, missing folders and taken ports are refused before anything is made.
    const config = readConfig(flags, plannedServer([source]), configFile)
    const { root, followExternalSymlinks } = config
    requireFolder(root)
    await claim(config)
    const look = inspectFiles(root, { followsLinks: followExternalSymlinks, timeLimit: inspectionTimeout })
    const plan = planTakeover([source], look, systemClock.unixSeconds())
    try {
      await write(inFile(file), plan)
    } catch (error) {
      // Another process may have done it in the meantime.
      if (isFailure(error, 'already-exists') && (await isDone(file, predecessor))) return
      throw error
    }
    tell(summaryOf(plan.report, file))
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

/** The database of --database, or else the one beside the old database, which a start with the old flags finds. */
function targetFor(names: readonly string[], given: Given, configFile: ConfigFile): Target {
  const bolt = names.find((name) => !isExport(name))
  if (bolt !== undefined && !namesDatabase(given, configFile)) return inFile(symlinkTarget(nameBeside(bolt)))
  const location = locate(given)
  requireUsable(location)
  return location
}

async function isDone(file: string, predecessor: string): Promise<boolean> {
  if (isMissing(file)) return false
  const db = await openDatabase(file)
  try {
    if ((await takeoverIn(db)) !== undefined) return true
    // A first attempt may have been killed before it wrote anything.
    if ((await documentOf(db, 'settings')) === undefined) return false
  } finally {
    await db.destroy()
  }
  throw new Failure(
    'already-exists',
    `${file} lies beside ${predecessor}, but was not made from it. Start with -d ${file} if that is the one you mean; otherwise move it away.`,
  )
}

type Target = Pick<Databases, 'address' | 'file'>

const inFile = (file: string): Target => ({ address: file, file })

async function write(target: Target, plan: Plan): Promise<void> {
  if (isInFile(target)) requireSqliteFile(target.file)
  const db = await made(target)
  try {
    await writePlan(db, plan)
  } finally {
    await db.destroy()
  }
}

async function made(target: Target): Promise<Kysely<Database>> {
  const { address, file } = target
  try {
    return await openDatabase(address, { connections: ofCommands })
  } catch (cause) {
    if (!isInFile(target)) throw cause
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

const tell = (lines: readonly string[]): void => print(lines.map(printable).join('\n'))
