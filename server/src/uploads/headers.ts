import { Failure } from '../failure.ts'

/** A number of bytes, as text. Anything but digits is refused, and so is what no file can hold. */
export function parseSize(text: string | null, what: string): number {
  // Older servers did without; scripts from that time do not send it.
  if (text === null) throw new Failure('invalid', `invalid ${what}: the header is missing`)
  const size = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(size)) throw new Failure('invalid', `invalid ${what}`)
  return size
}

/** How long the file will be. The standard lets it be left open, but then the space for it could not be checked. */
export function lengthIn(headers: Headers): number {
  if (headers.has('upload-defer-length')) throw new Failure('invalid', 'the upload length must be known, not deferred')
  return parseSize(headers.get('upload-length'), 'upload length')
}

/** What can be told again in a header, as it came. */
export function metadataIn(headers: Headers): string | undefined {
  const text = headers.get('upload-metadata') ?? ''
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined
}

const names = ['lastModified', 'mtime', 'modified']
/** Written in milliseconds, the year 1973 has more digits than any second until 5138. */
const lastSecond = 99_999_999_999
const lastMillisecond = 8.64e15

/** When the sender's file was last changed, in milliseconds, if its metadata tell. Every other entry is ignored. */
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
