import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { Settings } from '@filestead/contract'
import { type Config, type Given, readConfig } from '../config/config.ts'
import { isInFile } from '../config/databases.ts'
import { examineCache } from '../doctor/cache.ts'
import { examineClock } from '../doctor/clock.ts'
import { examineDatabase, examineServer } from '../doctor/database.ts'
import { type Finding, findingsAbout } from '../doctor/finding.ts'
import { examineKept, type KeepingMount } from '../doctor/kept.ts'
import { examineKeys } from '../doctor/keys.ts'
import { examineMachine } from '../doctor/machine.ts'
import { examineMounts } from '../doctor/mounts.ts'
import { examineNetwork } from '../doctor/network.ts'
import { examineOutside } from '../doctor/outside.ts'
import { examinePredecessor } from '../doctor/predecessor.ts'
import { examineRoot } from '../doctor/root.ts'
import { examineSnapshots, type SnapshotsOfMount } from '../doctor/snapshots.ts'
import { examineSpace } from '../doctor/space.ts'
import type { AccessFacts, DatabaseFacts } from '../doctor/store.ts'
import { examineTls } from '../doctor/tls.ts'
import { Failure } from '../failure.ts'
import { usualHistory } from '../mounts/history.ts'
import { firstMount } from '../mounts/location.ts'
import { accountName } from '../storage/linux/account.ts'
import { ignoredText, isMissing, type Location, locate, requireUsable } from './database.ts'
import { print, printJson } from './output.ts'
import { missingParts } from './serve/start-errors.ts'
import { warningsAbout } from './serve/warnings.ts'

const configuration = findingsAbout('Configuration')

/** Prints findings about everything a server needs, each with what to do. Changes nothing. */
export async function doctor(given: Given): Promise<void> {
  const findings = await examine(given)
  const problems = findings.filter(({ state }) => state === 'bad').length
  const warnings = findings.filter(({ state }) => state === 'warning').length
  if (given.json === 'true') printJson({ works: problems === 0, problems, warnings, findings })
  else {
    print(findings.map(paragraphOf).join('\n'))
    const verdict = problems === 0 ? 'Filestead will work here' : 'Filestead will not work here'
    print(`\n${verdict}: ${countOf(problems, 'problem')}, ${countOf(warnings, 'warning')}.`)
  }
  if (problems > 0) process.exitCode = 1
}

async function examine(given: Given): Promise<Finding[]> {
  let location: Location
  try {
    location = locate(given)
    requireUsable(location)
  } catch (error) {
    return [mistake(error)]
  }
  const { address, file, predecessor, ignored, configFile } = location
  const missing = missingParts()
  const notices = [
    ...(missing === undefined ? [] : [findingsAbout('Program').warning(missing, 'Unpack the whole release.')]),
    ...configFile.notices.map((text) => configuration.warning(text, 'Correct the config file or the variable.')),
    ...ignored.map((other) => configuration.warning(ignoredText(file, other), 'Move it away if it is not.')),
  ]
  const { findings, facts } = isInFile(location)
    ? await examineDatabase(file, isMissing(file))
    : await examineServer(address)
  const old = predecessor !== undefined && isMissing(file) ? examinePredecessor(predecessor) : undefined
  const stored = facts?.documents ?? { server: old?.server }
  let config: Config
  try {
    config = readConfig(given, (stored.server ?? {}) as Given, configFile)
  } catch (error) {
    return [...notices, ...findings, ...(old === undefined ? [] : [old.finding]), mistake(error)]
  }
  const settings = Settings.parse(stored.settings ?? {})
  return [
    findingsAbout('Account').note(
      `Everything is looked at as account ${accountName()}; if the server runs as another one, run the doctor as that one.`,
    ),
    ...notices,
    ...(await examineRoot(config)),
    ...(facts === undefined
      ? []
      : await examineMounts(facts.access, {
          root: config.root,
          refusalOf: refusals(config, facts.access),
          lookAtServer: async (folder, readOnly) =>
            (await import('../remote-servers.ts')).lookWith(config, folder, readOnly),
        })),
    ...(await examineKeys(config.keysFolder)),
    ...(facts === undefined ? [] : await examineKept(keepingMounts(config, facts))),
    ...(await examineSnapshots(snapshotsToLookFor(config, facts))),
    ...findings,
    ...(old === undefined ? [] : [old.finding]),
    examineCache(config),
    ...(await examineSpace([
      { name: isInFile(location) ? 'the database' : 'drafts and caches', path: dirname(file), isVital: true },
      { name: 'the served folder', path: config.root, isVital: false },
    ])),
    examineClock(file),
    ...(await examineNetwork(config, settings.authMethod)),
    ...examineTls(config),
    ...(given.url === undefined ? [] : await examineOutside(String(given.url), settings.tus.chunkSize)),
    ...(await examineMachine({
      hasOpenat2: async () => (await import('../storage/linux/kernel.ts')).hasOpenat2(),
      loadImages,
      ffmpeg: Bun.which('ffmpeg'),
    })),
    ...(await warningsAbout(config, settings)).map((text) =>
      findingsAbout('Safety').warning(text, 'Ignore this if it is intended; otherwise see docs/operating.'),
    ),
  ]
}

function keepingMounts({ root, readOnly }: Config, facts: DatabaseFacts): KeepingMount[] {
  const all = [{ id: firstMount, name: undefined, folder: root, readOnly }, ...facts.access.mounts]
  return all
    .filter(({ folder }) => existsSync(folder))
    .map(({ id, ...mount }) => ({
      ...mount,
      history: facts.histories.get(id) ?? usualHistory,
      sizes: facts.keptIn(id),
    }))
}

/** Loads what looks for them only where they are not turned off. */
function snapshotsToLookFor({ root, mountable }: Config, facts: DatabaseFacts | undefined): SnapshotsOfMount[] {
  const all = [{ id: firstMount, name: undefined, folder: root }, ...(facts?.access.mounts ?? [])]
  return all.flatMap(({ id, name, folder }) => {
    const history = facts?.histories.get(id) ?? usualHistory
    if (history.snapshots === 'off' || !existsSync(folder)) return []
    const look = async () => {
      const { findSnapshots, sourcesOf } = await import('../snapshots/find.ts')
      const { serverFolders } = await import('../storage/disk/server-folders.ts')
      return sourcesOf(await findSnapshots(serverFolders(), realpathSync(folder), { history, mountable }))
    }
    return [{ name, folder, look }]
  })
}

/** Asked of each mount beside the others; loads what looks at folders only where there are some. */
function refusals({ root, ...config }: Config, { mounts }: AccessFacts) {
  return async (folder: string, id: number): Promise<string | undefined> => {
    const { checksBeside } = await import('../served-folders.ts')
    const all = [{ id: firstMount, name: 'Files', folder: root }, ...mounts]
    try {
      await (await checksBeside({ ...config, root }, all)).requireFolder(folder, {
        isBounded: false,
        others: all.filter((mount) => mount.id !== id),
      })
      return undefined
    } catch (error) {
      if (error instanceof Failure) return error.message
      throw error
    }
  }
}

/** Starts the confined decoder process, as the server does. */
async function loadImages(): Promise<void> {
  const { decodersWith } = await import('../previews/decoders.ts')
  const decoders = decodersWith()
  await decoders.start()
  decoders.close()
}

const mistake = (error: unknown): Finding =>
  configuration.bad((error as Error).message, 'Correct it where it was given: a flag, a variable or the config file.')

const marks = { good: 'ok      ', note: 'note    ', warning: 'WARNING ', bad: 'BAD     ' }

function paragraphOf({ about, state, text, advice }: Finding): string {
  const first = `${marks[state]} ${about}: ${text}`
  return advice === undefined ? first : `${first}\n           → ${advice}`
}

const countOf = (count: number, what: string): string => `${count || 'no'} ${what}${count === 1 ? '' : 's'}`
