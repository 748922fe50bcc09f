import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { z } from 'zod'
import { Failure } from '../failure.ts'
import { ListedUser, OldAuther, OldServer, OldSettings, OldUser } from './old-records.ts'
import { parsed, type Source } from './source.ts'

const parsers: Record<string, (text: string) => unknown> = {
  '.json': (text) => JSON.parse(text),
  '.yaml': (text) => Bun.YAML.parse(text),
  '.yml': (text) => Bun.YAML.parse(text),
}

export const isExport = (name: string): boolean => extname(name).toLowerCase() in parsers

const OldConfig = z.object({ settings: OldSettings, server: OldServer, auther: OldAuther.prefault({}) })

/** A file of `config export` or `users export`. */
export function sourceInExport(name: string): Source {
  const content = contentOf(name)
  const nothing = {
    name,
    files: [name],
    lastId: 0,
    mayBeOlder: false,
    users: () => [],
    shares: () => [],
    close: () => {},
  }
  if (Array.isArray(content)) {
    const users = usersIn(content, OldUser, name)
    return { ...nothing, config: undefined, has: { users: true, shares: false }, users: () => users }
  }
  const config = parsed(OldConfig, content, `${name}: the settings`)
  return { ...nothing, config, has: { users: false, shares: false } }
}

/** The users of an export, or of a list in the same form, where ids may be missing. */
export function listedUsers(name: string): OldUser[] {
  const content = contentOf(name)
  if (!Array.isArray(content)) throw new Failure('invalid', `${name} is no list of users`)
  return usersIn(content, ListedUser, name)
}

const usersIn = (list: unknown[], shape: z.ZodType<OldUser>, name: string): OldUser[] =>
  list.map((user, index) => parsed(shape, user, `${name}: user number ${index + 1}`))

/** What a file of JSON or YAML holds. */
export function contentOf(name: string): unknown {
  let text: string
  try {
    text = readFileSync(name, 'utf8')
  } catch {
    throw new Failure('not-found', `${name} does not exist, or cannot be read`)
  }
  try {
    return parsers[extname(name).toLowerCase()]?.(text)
  } catch (error) {
    throw new Failure('invalid', `${name} cannot be understood: ${(error as Error).message}`)
  }
}
