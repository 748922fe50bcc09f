import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { isInside } from '@filestead/contract'
import type { z } from 'zod'
import { Failure } from '../failure.ts'
import { isSwitch } from './about.ts'
import { type Databases, databasesAt, usualDatabases } from './databases.ts'
import { type ConfigFile, configFamiliesIn, configFilesIn, noConfigFile, readConfigFile } from './file.ts'
import { type FirstStart, FirstStartOptions, ServerOptions } from './options.ts'
import {
  type Choice,
  choose,
  chooseAll,
  fromDatabase,
  fromFile,
  fromFlags,
  fromVariables,
  parseChoice,
  type Source,
} from './sources.ts'
import { parseDuration, Switch } from './values.ts'

export { ServerOptions } from './options.ts'
export { parseDuration } from './values.ts'

export type Config = Readonly<Omit<ServerOptions, 'cacheDir'>> & {
  readonly database: string
  /** Empty where nothing is to be kept. */
  readonly cacheDir: string
  /** As it was named, which may be the name of a link, or of the database that ours was made from. */
  readonly namedDatabase: string
  /** Files in which the next start looks for options: write access to them decides what is served. */
  readonly configFiles: readonly string[]
  /** How the names of such files begin. */
  readonly configFamilies: readonly string[]
  /** Where it looks for a database when none is named. */
  readonly workingFolder: string
  readonly stateFolder: string
}

export type Given = Readonly<Record<string, unknown>>

/** What was asked for, the nearest source first: flags, environment, config file, what the database remembers. */
export function readConfig(flags: Given, stored: Given, file: ConfigFile = noConfigFile): Config {
  const options = serverOptionsFrom(sourcesNear(flags, file), fromDatabase(stored))
  const { ours: database, named } = databasesIn(flags, file)
  const ownFile = file.path === undefined ? [] : [resolve(file.path)]
  const folders = configFolders().map((folder) => resolve(folder))
  return Object.freeze({
    ...options,
    root: resolve(options.root),
    database,
    namedDatabase: named,
    cacheDir: options.cacheDir === undefined ? `${database}-cache` : options.cacheDir && resolve(options.cacheDir),
    configFiles: [...ownFile, ...configFilesIn(folders)],
    configFamilies: [...ownFile, ...configFamiliesIn(folders)],
    workingFolder: resolve('.'),
    stateFolder: stateFolder(),
  })
}

/** Our database, and File Browser's where that is the one that was named. */
export function databasesIn(flags: Given, file: ConfigFile = noConfigFile): Databases {
  const found = choose('database', sourcesNear(flags, file))
  if (found?.value === '') throw new Failure('invalid', `${found.name} must not be empty`)
  return found === undefined
    ? usualDatabases(resolve('.'), databaseFor(resolve('.')))
    : databasesAt(resolve(String(found.value)))
}

/** Is the database named by a flag, a variable or the config file? */
export const namesDatabase = (flags: Given, file: ConfigFile = noConfigFile): boolean =>
  choose('database', sourcesNear(flags, file)) !== undefined

/** Folder of the databases that are made without a name. */
function stateFolder(): string {
  const [home = '/var/lib'] = homeFolders().map((folder) => join(folder, '.local/state'))
  const { XDG_STATE_HOME: chosen = '' } = process.env
  // A relative one counts as none: it would be another place for every folder, and mostly within it.
  const own = join(isAbsolute(chosen) ? chosen : home, 'filestead')
  // The folder that is served is, without a word, the one we stand in; only root has another place to go to.
  return isInside(own, resolve('.')) && process.getuid?.() === 0 ? '/var/lib/filestead' : own
}

/** One for each folder that the program is started in, so that every command there finds the same one. */
function databaseFor(folder: string): string {
  const name = basename(folder).replace(/[^\w.-]/g, '_') || 'root'
  const mark = createHash('sha256').update(folder).digest('hex').slice(0, 10)
  return join(stateFolder(), `${name}-${mark}.db`)
}

/** The first administrator. */
export const readFirstStart = (flags: Given, file: ConfigFile = noConfigFile): FirstStart =>
  parseChoice(FirstStartOptions, chooseAll(FirstStartOptions, sourcesNear(flags, file)))

/** The root, if it was named: in the working folder that is the default, no folders are made. */
export function knownRoot(flags: Given, stored: Given, file: ConfigFile = noConfigFile): string | undefined {
  const found = choose('root', [...sourcesNear(flags, file), fromDatabase(stored)])
  return found && resolve(String(found.value))
}

/** What a first start leaves in the database, so that the next one needs no flags. */
export const storableConfig = (flags: Given, file: ConfigFile = noConfigFile): Given =>
  storable(chooseAll(ServerOptions, sourcesNear(flags, file)))

/** What the database is to remember once these flags are added. Refuses what no server could start with. */
export function withServerFlags(flags: Given, stored: Given): Given {
  serverOptionsFrom([fromFlags(flags)], fromDatabase(stored))
  const lifetime = flags.tokenExpirationTime
  if (lifetime !== undefined && parseDuration(String(lifetime)) === undefined)
    throw new Failure('invalid', `--tokenExpirationTime ${JSON.stringify(lifetime)} must be a time span such as 2h`)
  const { socket: _socket, ...rest } = stored
  // A named address replaces a socket that was stored before.
  const kept = addressKeys.some((key) => flags[key] !== undefined) ? rest : stored
  return { ...kept, ...storable(chooseAll(ServerOptions, [fromFlags(flags)])) }
}

/** Reads flags by their schema; what is wrong is told by the name of the flag. */
export const parseFlags = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  flags: Given,
): z.infer<z.ZodObject<Shape>> => parseChoice(schema, chooseAll(schema, [fromFlags(flags)]))

export const configFileFor = ({ config }: Given): ConfigFile =>
  readConfigFile(config === undefined ? undefined : String(config), configFolders())

const configFolders = (): string[] => ['.', ...homeFolders(), '/etc/filestead', '/etc/filebrowser']

/** Empty for a user id without an account, as in containers. */
function homeFolders(): string[] {
  try {
    return [homedir()]
  } catch {
    return []
  }
}

/** Are errors printed with their stack? */
export const isDebugging = (): boolean => process.env.FILESTEAD_DEBUG === '1'

type Environment = Readonly<Record<string, string | undefined>>

/** What the administrator's own programs inherit: all but the server's options, which hold passwords. */
export const hookEnvironment = (): Environment => environmentWhere((name) => !/^(FILESTEAD|FB)_/.test(name))

/** What the commands of users inherit: nothing that could be a secret of the service. */
export const commandEnvironment = (): Environment =>
  environmentWhere((name) => /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TERM)$/.test(name))

const environmentWhere = (isInherited: (name: string) => boolean): Environment =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => isInherited(name)))

const sourcesNear = (flags: Given, file: ConfigFile): Source[] => [
  fromFlags(flags),
  fromVariables(process.env),
  fromFile(file),
]

const addressKeys = ['address', 'port', 'cert', 'key'] as const

function serverOptionsFrom(near: readonly Source[], database: Source): ServerOptions {
  const nearest = chooseAll(ServerOptions, near)
  const addresses = addressKeys.flatMap((key) => nearest[key]?.name ?? [])
  if (nearest.socket?.value && addresses.length > 0)
    throw new Failure('invalid', `${nearest.socket.name} cannot be used together with ${addresses.join(' and ')}`)
  const options = parseChoice(ServerOptions, chooseAll(ServerOptions, [...near, database]))
  if ((options.cert === '') !== (options.key === ''))
    throw new Failure('invalid', '--cert and --key only work together: one of them is missing')
  return addresses.length > 0 && nearest.socket === undefined ? { ...options, socket: '' } : options
}

const pathKeys = ['root', 'cert', 'key', 'socket', 'cacheDir']

/** As stored: paths absolute, because the next start may have another working folder. */
const storable = (choice: Choice): Given =>
  Object.fromEntries(
    Object.entries(choice).flatMap(([key, { value }]) => {
      if (key === 'redisCacheUrl') return []
      if (isSwitch(ServerOptions.shape[key as keyof ServerOptions])) return [[key, Switch.parse(value)]]
      const isPath = pathKeys.includes(key) || (key === 'log' && value !== 'stdout' && value !== 'stderr')
      return [[key, isPath && value !== '' ? resolve(String(value)) : value]]
    }),
  )
