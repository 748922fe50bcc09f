import { Failure } from '../failure.ts'

/** A number of bytes. Anything but digits is refused, and so is a number that is not exact in JavaScript. */
export function parseSize(text: string | null, what: string): number {
  // Older servers did without the header, so scripts from that time do not send it.
  if (text === null) throw new Failure('invalid', `invalid ${what}: the header is missing`)
  const size = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(size)) throw new Failure('invalid', `invalid ${what}`)
  return size
}

/**
 * The length of the file. The standard lets it be deferred, but then the free space could not be checked. A part of a file
 * (extension concatenation) would be taken for the whole and replace it.
 */
export function lengthIn(headers: Headers): number {
  if (headers.has('upload-concat')) throw new Failure('invalid', 'a file cannot be put together from several uploads')
  if (headers.has('upload-defer-length')) throw new Failure('invalid', 'the upload length must be known, not deferred')
  return parseSize(headers.get('upload-length'), 'upload length')
}

/** The metadata as they came, if a header can repeat them. */
export const keptMetadata = (text: string | null): string | undefined =>
  text !== null && /^[\x20-\x7e]+$/.test(text) ? text : undefined

const names = ['lastModified', 'mtime', 'modified']
/** A larger number is in milliseconds: those of 1973 have more digits than any second until the year 5138. */
const lastSecond = 99_999_999_999
const lastMillisecond = 8.64e15

/** The modification time in the metadata, in milliseconds. Every other entry is ignored. */
export function modifiedIn(metadata: string | null): number | undefined {
  for (const entry of metadata?.split(',') ?? []) {
    const [name = '', value = ''] = entry.trim().split(/ +/)
    const time = names.includes(name) ? timeIn(Buffer.from(value, 'base64').toString()) : undefined
    if (time !== undefined) return time
  }
  return undefined
}

function timeIn(text: string): number | undefined {
  const amount = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
  const time = amount === undefined ? Date.parse(text) : Math.abs(amount) > lastSecond ? amount : amount * 1000
  return Math.abs(time) <= lastMillisecond ? Math.round(time) : undefined
}
