import type { z } from 'zod'
import { Failure } from '../failure.ts'
import type { ConfigFile } from './file.ts'
import { suggestion } from './suggestion.ts'

export interface Found {
  readonly value: unknown
  /** The flag, variable or key, for error messages. */
  readonly name: string
}

/** Looks an option up by its long name. */
export type Source = (key: string) => Found | undefined

type Values = Readonly<Record<string, unknown>>

export const fromFlags =
  (flags: Values): Source =>
  (key) =>
    flags[key] === undefined ? undefined : { value: flags[key], name: `--${key}` }

/** FILESTEAD_BASE_URL, or FB_BASE_URL as in File Browser. An empty variable counts as unset. */
export const fromVariables =
  (variables: Readonly<Record<string, string | undefined>>): Source =>
  (key) => {
    const current = variableFor(key)
    const name = [current, current.replace('FILESTEAD_', 'FB_'), formerVariables[key] ?? ''].find(
      (name) => variables[name] && !isOfKubernetes(name, variables[name]),
    )
    return name === undefined ? undefined : { value: variables[name], name }
  }

/** Kubernetes tells every container the addresses of services in such variables; that of ours may be called filestead. */
const isOfKubernetes = (name: string, value = ''): boolean =>
  /^FILESTEAD_(SERVICE_(HOST|PORT)|PORT_\d+_)/.test(name) || /^(tcp|udp|sctp):\/\//.test(value)

/** Variables of the launcher, of the container and for looking for errors. */
const otherVariables = ['FILESTEAD_DEBUG', 'FILESTEAD_PROGRAM', 'FILESTEAD_SETTINGS', 'FILESTEAD_CHROMIUM']

/** A sentence for each variable that looks like an option and is none. */
export function unknownVariables(
  variables: Readonly<Record<string, string | undefined>>,
  keys: readonly string[],
): string[] {
  const known = [...keys.map(variableFor), ...otherVariables]
  return Object.entries(variables)
    .filter(([name]) => /^FILESTEAD_/.test(name) && !known.includes(name) && !isKeyVariable(name))
    .filter(([name, value]) => !isOfKubernetes(name, value))
    .map(([name]) => `Unknown variable ${name} is ignored${suggestion(name, known)}`)
}

/** FILESTEAD_KEYS_<NAME>_…, of which there are as many as there are keys. FILESTEAD_KEYS_FOLDER is an option. */
export const isKeyVariable = (name: string): boolean => /^FILESTEAD_KEYS_\w+_\w+$/.test(name)

export const variableFor = (key: string): string => `FILESTEAD_${key.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()}`

const formerVariables: Readonly<Record<string, string>> = {
  baseURL: 'FB_BASEURL',
  imageProcessors: 'FB_IMG_PROCESSORS',
}

export const fromFile =
  ({ path, values }: ConfigFile): Source =>
  (key) =>
    values[key] === undefined ? undefined : { value: values[key], name: `${key} in ${path}` }

export const fromDatabase =
  (stored: Values): Source =>
  (key) =>
    stored[key] === undefined ? undefined : { value: stored[key], name: `the stored --${key}` }

export function choose(key: string, sources: readonly Source[]): Found | undefined {
  for (const source of sources) {
    const found = source(key)
    if (found !== undefined) return found
  }
  return undefined
}

/** The options that were given, each from the source that wins. */
export type Choice = Readonly<Record<string, Found>>

export function chooseAll({ shape }: z.ZodObject, sources: readonly Source[]): Choice {
  const pairs = Object.keys(shape).map((key) => [key, choose(key, sources)] as const)
  return Object.fromEntries(pairs.filter((pair): pair is [string, Found] => pair[1] !== undefined))
}

/** Parses the options; the error lists every bad value by the name that was used. */
export function parseChoice<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  choice: Choice,
): z.infer<z.ZodObject<Shape>> {
  const values = Object.fromEntries(Object.entries(choice).map(([key, { value }]) => [key, value]))
  const parsed = schema.safeParse(values)
  if (parsed.success) return parsed.data
  const mistakes = parsed.error.issues.map(({ path, message }) => {
    const found = choice[String(path[0])]
    return `${found?.name} ${JSON.stringify(found?.value)} ${message}`
  })
  throw new Failure('invalid', mistakes.join('; '))
}
