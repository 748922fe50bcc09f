import { isUtf8 } from 'node:buffer'
import { type KeepCause, keepCauses } from '@filestead/contract'
import { bytesOf, textOf } from './exact-names.ts'
import type { Keep } from './keeping.ts'

// The info files of stores: those of the freedesktop.org trash specification, with lines of our own that others ignore.

/** What an info file tells about the thing that has its name in `files`. */
export interface StoreInfo {
  /** Where it was, from the folder that holds the store: no slash in front. Undefined where that cannot be read. */
  readonly path: string | undefined
  /** In milliseconds since 1970; others tell full seconds. */
  readonly keptAt: number | undefined
  /** Undefined where another program has put it there. */
  readonly id?: string | undefined
  readonly keep?: Keep | undefined
}

export type WrittenInfo = Required<{ [Key in keyof StoreInfo]: NonNullable<StoreInfo[Key]> }>

export const infoSuffix = '.trashinfo'

export const infoText = ({ path, keptAt, id, keep }: WrittenInfo): string =>
  [
    '[Trash Info]',
    `Path=${encoded(path)}`,
    `DeletionDate=${localTime(keptAt)}`,
    `X-Filestead-Id=${id}`,
    `X-Filestead-Operation=${encoded(keep.operation)}`,
    `X-Filestead-User=${keep.user.id} ${encoded(keep.user.name)}`,
    `X-Filestead-Door=${encoded(keep.door)}`,
    `X-Filestead-Cause=${keep.cause}`,
    `X-Filestead-Time=${keptAt}`,
    '',
  ].join('\n')

/** Of an empty or foreign text as much as can be read. */
export function parseInfo(text: string): StoreInfo {
  const values = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, key, value] = /^([\w-]+)=(.*?)\r?$/.exec(line) ?? []
    // Of several lines the first one counts.
    if (key !== undefined && value !== undefined && !values.has(key)) values.set(key, value)
  }
  const told = (key: string) => decoded(values.get(key) ?? '')
  const path = told('Path')
  const keep = keepOf(told, values.get('X-Filestead-User') ?? '')
  const id = told('X-Filestead-Id')
  const time = Number(values.get('X-Filestead-Time') || Number.NaN)
  const date = Date.parse(values.get('DeletionDate') ?? '')
  return {
    path: isInner(path) ? path : undefined,
    keptAt: [time, date].find(isTime),
    ...(isId(id) && keep !== undefined && { id, keep }),
  }
}

function keepOf(told: (key: string) => string | undefined, user: string): Keep | undefined {
  const [, id, name = ''] = /^(\d+) (.*)$/.exec(user) ?? []
  const [operation, door, cause] = ['Operation', 'Door', 'Cause'].map((key) => told(`X-Filestead-${key}`))
  if (id === undefined || !isId(operation) || door === undefined || !isCause(cause)) return undefined
  return { operation, user: { id: Number(id), name: decoded(name) ?? name }, door, cause }
}

/** Others may write whatever they like; what is shown needs a day of the calendar. */
const isTime = (time: number): boolean => time >= 0 && time < Date.UTC(10_000, 0)

const isCause = (text: string | undefined): text is KeepCause => (keepCauses as readonly unknown[]).includes(text)

/** Ids become parts of file names. */
export const isId = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Za-z0-9-]{1,100}$/.test(text)

const isInner = (path: string | undefined): path is string =>
  path !== undefined && path !== '' && !/^\/|\0|(^|\/)\.\.?(\/|$)/.test(path)

const isPlain = /^[A-Za-z0-9/._~-]*$/

/** Byte by byte, as names are bytes. */
function encoded(text: string): string {
  if (isPlain.test(text)) return text
  if (text.isWellFormed()) return encodeURIComponent(text).replaceAll('%2F', '/')
  let result = ''
  for (const byte of bytesOf(text)) {
    const character = String.fromCharCode(byte)
    result += isPlain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return result
}

function decoded(text: string): string | undefined {
  if (isPlain.test(text)) return text
  const parts = text.split(/%([\dA-Fa-f]{2})/)
  const bytes = Buffer.concat(
    parts.map((part, index) => (index % 2 === 0 ? Buffer.from(bytesOf(part)) : Buffer.from(part, 'hex'))),
  )
  return isUtf8(bytes) ? bytes.toString() : textOf(bytes)
}

/** As the specification wants it: of the server's time zone, without naming that. */
function localTime(time: number): string {
  const date = new Date(time)
  const [year, ...others] = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return `${[year, ...others.map(twoDigits)].join('-')}T${clock.map(twoDigits).join(':')}`
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')
