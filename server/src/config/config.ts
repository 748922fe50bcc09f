import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { isInside } from '@filestead/contract'
import type { z } from 'zod'
import { isPostgres } from '../database/address.ts'
import { Failure } from '../failure.ts'
import { isDiskAddress } from '../storage/address.ts'
import { type Databases, databasesAt, databasesBehind, defaultDatabases } from './databases.ts'
import { isSwitch } from './descriptions.ts'
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
  isKeyVariable,
  parseChoice,
  type Source,
  unknownVariables,
} from './sources.ts'
import { parseDuration, Switch } from './values.ts'

export { ServerOptions } from './options.ts'
export { parseDuration } from './values.ts'

export type Config = Readonly<Omit<ServerOptions, 'cacheDir'>> & {
  /** Its path, or the address of a PostgreSQL, which may hold a password: it is shown by `shownAddress` only. */
  readonly database: string
  /** The names of the files that this server keeps on its own machine begin with this: with the database, where that is a file. */
  readonly localFiles: string
  /** Empty for no cache. */
  readonly cacheDir: string
  /** As it was named: perhaps a symlink, or the database of File Browser. */
  readonly namedDatabase: string
  /** Files that the next start reads options from; a user who could write them would control the server. */
  readonly configFiles: readonly string[]
  /** Prefixes of such names, for the copies that editors make. */
  readonly configFamilies: readonly string[]
  /** Where a database is looked for when none is named. */
  readonly workingFolder: string
  readonly stateFolder: string
}

export type Given = Readonly<Record<string, unknown>>

/** The options of a start: flags win over the environment, that over the config file, that over the database. */
export function readConfig(flags: Given, stored: Given, file: ConfigFile = noConfigFile): Config {
  const options = serverOptionsFrom(sourcesNear(flags, file), fromDatabase(stored))
  const { address, file: localFiles, named } = databasesIn(flags, file)
  const ownFile = file.path === undefined ? [] : [resolve(file.path)]
  const folders = configFolders().map((folder) => resolve(folder))
  return Object.freeze({
    ...options,
    root: folderOfRoot(options.root),
    keysFolder: resolve(options.keysFolder),
    database: address,
    localFiles,
    namedDatabase: named,
    cacheDir: options.cacheDir === undefined ? `${localFiles}-cache` : options.cacheDir && resolve(options.cacheDir),
    configFiles: [...ownFile, ...configFilesIn(folders)],
    configFamilies: [...ownFile, ...configFamiliesIn(folders)],
    workingFolder: resolve('.'),
    stateFolder: stateFolder(),
  })
}

/** The database by flags, environment and config file, and File Browser's where that was named. */
export function databasesIn(flags: Given, file: ConfigFile = noConfigFile): Databases {
  const found = choose('database', sourcesNear(flags, file))
  if (found?.value === '') throw new Failure('invalid', `${found.name} must not be empty`)
  if (found === undefined) return defaultDatabases(resolve('.'), databaseFor(resolve('.')))
  const named = String(found.value)
  const { PGHOST, PGDATABASE } = process.env
  return isPostgres(named) ? databasesBehind(named, stateFolder(), { PGHOST, PGDATABASE }) : databasesAt(resolve(named))
}

/** Whether a flag, a variable or the config file names the database. */
export const namesDatabase = (flags: Given, file: ConfigFile = noConfigFile): boolean =>
  choose('database', sourcesNear(flags, file)) !== undefined

/** The folder of databases that were not named, and of what servers with a PostgreSQL keep on their own machine. */
function stateFolder(): string {
  const [home = '/var/lib'] = homeFolders().map((folder) => join(folder, '.local/state'))
  const { XDG_STATE_HOME: chosen = '' } = process.env
  // The XDG specification ignores relative paths.
  const own = join(isAbsolute(chosen) ? chosen : home, 'filestead')
  // By default the working folder is served, and the database must not be in it; only root can write elsewhere.
  return isInside(own, resolve('.')) && process.getuid?.() === 0 ? '/var/lib/filestead' : own
}

/** One database for each working folder, so that every command there finds the same one. */
function databaseFor(folder: string): string {
  const name = basename(folder).replace(/[^\w.-]/g, '_') || 'root'
  const mark = createHash('sha256').update(folder).digest('hex').slice(0, 10)
  return join(stateFolder(), `${name}-${mark}.db`)
}

/** The options of the first start. */
export const readFirstStart = (flags: Given, file: ConfigFile = noConfigFile): FirstStart =>
  parseChoice(FirstStartOptions, chooseAll(FirstStartOptions, sourcesNear(flags, file)))

/** The root, if it was named. No homes are made in the working folder, which is only the default. */
export function knownRoot(flags: Given, stored: Given, file: ConfigFile = noConfigFile): string | undefined {
  const found = choose('root', [...sourcesNear(flags, file), fromDatabase(stored)])
  return found && resolve(String(found.value))
}

/** The options that a first start stores, so that the next one needs no flags. */
export const storableConfig = (flags: Given, file: ConfigFile = noConfigFile): Given =>
  storable(chooseAll(ServerOptions, sourcesNear(flags, file)))

/** The stored options with these flags. Refuses options that no server could start with. */
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

/** Parses flags by their schema; errors name the flag. */
export const parseFlags = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  flags: Given,
): z.infer<z.ZodObject<Shape>> => parseChoice(schema, chooseAll(schema, [fromFlags(flags)]))

/** The config file; its notices are also about variables that mean nothing. */
export function configFileFor({ config }: Given): ConfigFile {
  const file = readConfigFile(config === undefined ? undefined : String(config), configFolders())
  const keys = ['database', ...Object.keys(ServerOptions.shape), ...Object.keys(FirstStartOptions.shape)]
  return { ...file, notices: [...file.notices, ...unknownVariables(process.env, keys)] }
}

const configFolders = (): string[] => ['.', ...homeFolders(), '/etc/filestead', '/etc/filebrowser']

/** Empty for a user id without an account, as in containers. */
function homeFolders(): string[] {
  try {
    return [homedir()]
  } catch {
    return []
  }
}

/** Whether errors are printed with their stack. */
export const isDebugging = (): boolean => process.env.FILESTEAD_DEBUG === '1'

/** Names the parent of a serving process, so that what inherits the variable is not taken for one. */
const parentVariable = 'FILESTEAD_PARENT'

/** Whether this is one of several serving processes, started by their parent. The variable is not passed on. */
export function isServingProcess(): boolean {
  const parent = process.env[parentVariable]
  delete process.env[parentVariable]
  return parent === String(process.ppid) && process.send !== undefined
}

/** The environment of a serving process. */
export const servingEnvironment = (): Environment => ({ ...process.env, [parentVariable]: String(process.pid) })

type Environment = Readonly<Record<string, string | undefined>>

/** The environment of hooks, which the administrator wrote: without the server's options, which hold passwords. */
export const hookEnvironment = (): Environment => environmentWhere((name) => !/^(FILESTEAD_|FB_|PGPASS)/.test(name))

/** The variables that may hold keys of buckets and other servers. */
export const keyVariables = (): Environment => environmentWhere((name) => isKeyVariable(name) || /^AWS_/.test(name))

/** The environment of users' commands: nothing that could be a secret. */
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

/** Homes, hooks and the files of the server itself are beside the first root folder, and so is much that counts on a disk. */
function folderOfRoot(root: string): string {
  if (!isDiskAddress(root))
    throw new Failure(
      'invalid',
      '--root must be a folder of this machine; buckets and other servers come beside it, by --mount',
    )
  return resolve(root)
}

const pathKeys = ['root', 'cert', 'key', 'socket', 'cacheDir', 'keysFolder']

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
