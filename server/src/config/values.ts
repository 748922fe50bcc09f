import { availableParallelism } from 'node:os'
import { z } from 'zod'

/** A value of a flag, a variable or a config file before it is parsed. */
type Raw = string | number | boolean

/** A schema that parses text; config files also have numbers, booleans and lists. */
export function reads<T>(read: (raw: Raw) => T | undefined, expected: string) {
  return z.custom<Raw>().transform((given, context) => {
    const raw: Raw = Array.isArray(given) ? given.join(',') : given
    const isScalar = ['string', 'number', 'boolean'].includes(typeof raw)
    const value = isScalar ? read(raw) : undefined
    if (value !== undefined) return value
    context.issues.push({ code: 'custom', message: expected, input: raw })
    return z.NEVER
  })
}

export const Text = reads((raw) => (typeof raw === 'boolean' ? undefined : String(raw)), 'must be text')

export const FilledText = reads(
  (raw) => (typeof raw === 'boolean' || raw === '' ? undefined : String(raw)),
  'must not be empty',
)

/** The booleans of Go, and yes, no, on, off. */
export const Switch = reads((raw) => {
  const text = String(raw).toLowerCase()
  if (['true', 't', '1', 'yes', 'y', 'on'].includes(text)) return true
  return ['false', 'f', '0', 'no', 'n', 'off'].includes(text) ? false : undefined
}, 'must be true or false')

export const Whole = (least: number, most: number = Number.MAX_SAFE_INTEGER) =>
  reads(
    (raw) => (isBetween(least, most, readDigits(raw)) ? readDigits(raw) : undefined),
    most === Number.MAX_SAFE_INTEGER
      ? `must be a whole number of at least ${least}`
      : `must be a whole number from ${least} to ${most}`,
  )

/** A number of processes; `auto` is one for each processor that this one may use. */
export const Processes = reads(
  (raw) => (raw === 'auto' ? availableParallelism() : isBetween(1, 64, readDigits(raw)) ? readDigits(raw) : undefined),
  'must be a whole number from 1 to 64, or auto',
)

export const Choice = <const Name extends string>(names: readonly Name[]) =>
  reads(
    (raw) => names.find((name) => name === raw),
    `must be ${names.map((name) => name || 'empty').join(', ')}`.replace(/, (?=[^,]*$)/, ' or '),
  )

/** In seconds, and not zero. */
export const Duration = reads(
  (raw) => (readDigits(raw) ?? parseDuration(String(raw))) || undefined,
  'must be a time span such as 90s, 15m or 1h30m',
)

/** A number of bytes or pixels. */
export const Amount = reads((raw) => parseAmount(String(raw)), 'must be an amount such as 500M, 1GB or 64MiB')

/** Permissions of a file. A number was parsed by the config file's format, where 0o640 is 416; decimal 640 is out of range. */
export const Mode = reads(
  (raw) => (typeof raw === 'number' ? (isBetween(0, 0o777, raw) ? raw : undefined) : parseMode(String(raw))),
  'must be an octal mode in quotes, such as "0640"',
)

export const List = reads(
  (raw) =>
    String(raw)
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  'must be names separated by commas',
)

/** Full paths. */
export const FolderList = reads((raw) => {
  const folders = List.parse(raw).map((folder) => folder.replace(/(?<=.)\/+$/, ''))
  return folders.every((folder) => folder.startsWith('/')) ? folders : undefined
}, 'must be full paths separated by commas, such as /srv,/mnt')

/** Parses a duration of Go into seconds: 2h, 90m, 1h30m, 45s, 0. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  const parts = [...text.matchAll(/(\d+\.?\d*|\.\d+)(h|ms|m|s|us|µs|ns)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * secondsIn[unit as keyof typeof secondsIn], 0)
}

const secondsIn = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 }

/** Parses an amount: 1GB is 1000³, 1GiB is 1024³. */
function parseAmount(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?) ?([kmgt]?)(i?)b?$/i.exec(text)
  if (match === null) return undefined
  const [, digits, letter = '', isBinary] = match
  const power = ['', 'k', 'm', 'g', 't'].indexOf(letter.toLowerCase())
  const amount = Math.round(Number(digits) * (isBinary ? 1024 : 1000) ** power)
  return Number.isSafeInteger(amount) ? amount : undefined
}

/** 0640, 0o640 and 640 are the same; fewer digits are refused as a typing error. */
const parseMode = (text: string): number | undefined =>
  /^(0o)?0?[0-7]{3,4}$/.test(text) ? Number.parseInt(text.replace(/^0o/, ''), 8) : undefined

const readDigits = (raw: Raw): number | undefined => (/^\d{1,15}$/.test(String(raw)) ? Number(raw) : undefined)

const isBetween = (least: number, most: number, value: number | undefined): boolean =>
  value !== undefined && Number.isInteger(value) && value >= least && value <= most
