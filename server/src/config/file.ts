import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { mountsText } from './mounts.ts'
import { FirstStartOptions, formerNames, ServerOptions } from './options.ts'
import { suggestion } from './suggestion.ts'

export interface ConfigFile {
  /** Undefined where there is none. */
  readonly path: string | undefined
  readonly values: Readonly<Record<string, unknown>>
  /** Warnings about its content. */
  readonly notices: readonly string[]
}

export const noConfigFile: ConfigFile = { path: undefined, values: {}, notices: [] }

const parsers: Record<string, (text: string) => unknown> = {
  '.json': (text) => JSON.parse(text),
  '.toml': (text) => Bun.TOML.parse(text),
  '.yaml': (text) => Bun.YAML.parse(text),
  '.yml': (text) => Bun.YAML.parse(text),
}

/** Reads the file that was named, or the first one found in the folders. */
export function readConfigFile(named: string | undefined, folders: readonly string[]): ConfigFile {
  if (named !== undefined) {
    if (!existsSync(named)) throw new Failure('not-found', `The config file ${named} does not exist`)
    return { path: named, ...valuesIn(named, contentOf(named)) }
  }
  const notices: string[] = []
  for (const path of configFilesIn(folders).filter(existsSync)) {
    let content: string
    try {
      content = contentOf(path)
    } catch (error) {
      notices.push(`${(error as Error).message}; passing it over`)
      continue
    }
    const { values, notices: more } = valuesIn(path, content)
    return { path, values, notices: [...notices, ...more] }
  }
  return { ...noConfigFile, notices }
}

const names = ['.filestead', '.filebrowser']
/** In a folder for nothing else the file needs no hidden name, which would be overlooked there. */
const ownFolder = '/etc/filestead'

const namesIn = (folder: string): string[] => (folder === ownFolder ? [...names, 'filestead'] : names)

/** Every path that can be a config file, whether it exists or not. */
export const configFilesIn = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    namesIn(folder).flatMap((name) => Object.keys(parsers).map((end) => join(folder, name + end))),
  )

/** The same without extensions: prefixes that also match backup copies of editors. */
export const configFamiliesIn = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, `${name}.`)))

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new Failure('forbidden', `The config file ${path} cannot be read`)
  }
}

function valuesIn(path: string, content: string): Pick<ConfigFile, 'values' | 'notices'> {
  const parse = parsers[extname(path).toLowerCase()]
  if (parse === undefined)
    throw new Failure('invalid', `The config file ${path} must end in .json, .toml, .yaml or .yml`)
  const parsed = parsedBy(parse, path, content)
  const notices: string[] = []
  const values: Record<string, unknown> = {}
  for (const [written, value] of Object.entries(parsed)) {
    const key = knownKeys.get(written.toLowerCase())
    if (key === undefined)
      notices.push(`Unknown key ${JSON.stringify(written)} in ${path} is ignored${suggestion(written, keys)}`)
    else if (value !== null)
      values[key] = key === 'mount' ? mountsText(value) : Array.isArray(value) ? value.join(',') : value
  }
  return { values, notices }
}

function parsedBy(parse: (text: string) => unknown, path: string, content: string): object {
  let parsed: unknown
  try {
    parsed = parse(content) ?? {}
  } catch (error) {
    const { message } = error as Error
    // Without it, JSON that has only begun looks like JSON with a mistake.
    const end = parse === parsers['.json'] ? '\u0001' : ''
    const line = lineOf((text) => parse(text + end), content, message)
    throw new Failure('invalid', `The config file ${path} has a mistake${line && ` in line ${line}`}: ${message}`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Failure('invalid', `The config file ${path} must hold names and values`)
  return parsed
}

const mostLines = 1000

/**
 * The parsers tell no line: the mistake is in the first one from which on the file up to there fails as the whole file does.
 */
function lineOf(parse: (text: string) => unknown, content: string, message: string): number | '' {
  const lines = content.split('\n')
  if (lines.length > mostLines) return ''
  const failsWith = (count: number): string | undefined => {
    try {
      parse(lines.slice(0, count).join('\n'))
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  let line = lines.length
  while (line > 1 && failsWith(line - 1) === message) line -= 1
  return line
}

const keys = ['database', ...Object.keys(ServerOptions.shape), ...Object.keys(FirstStartOptions.shape)]

/** Keys in lower case, with the options they stand for. */
const knownKeys = new Map<string, string>([
  ...Object.entries(formerNames).filter(([, name]) => keys.includes(name)),
  ...keys.map((key): [string, string] => [key.toLowerCase(), key]),
])
