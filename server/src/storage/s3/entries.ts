import { nameOf } from '@filestead/contract/paths'
import { LruMap } from '../../lru-map.ts'
import { type Entry, PlainEntry } from '../entry.ts'
import { versionOf } from './names.ts'
import type { Headers, ListedObject, ObjectHead } from './objects.ts'

/** In seconds and nanoseconds since 1970. */
export interface Time {
  readonly seconds: number
  readonly nanoseconds: number
}

/** As rclone writes it: seconds with decimals. */
const timeHeader = 'x-amz-meta-mtime'

/** Which write has made an object: after an answer that was lost it tells whether the write has succeeded. */
const writeHeader = 'x-amz-meta-filestead-write'

export const timeOf = (milliseconds: number): Time => {
  const seconds = Math.floor(milliseconds / 1000)
  return { seconds, nanoseconds: Math.round((milliseconds - seconds * 1000) * 1_000_000) }
}

const writtenTime = ({ seconds, nanoseconds }: Time): string => {
  const decimals = String(nanoseconds).padStart(9, '0').replace(/0+$/, '')
  return decimals === '' ? String(seconds) : `${seconds}.${decimals}`
}

/** Undefined for what is no such time. */
export function parseTime(text: string | undefined): Time | undefined {
  const [, seconds, decimals = ''] = /^(-?\d{1,12})(?:\.(\d+))?$/.exec(text?.trim() ?? '') ?? []
  if (seconds === undefined) return undefined
  return { seconds: Number(seconds), nanoseconds: Number(decimals.slice(0, 9).padEnd(9, '0')) }
}

/** What is stored with a file besides its bytes. */
export const headersFor = (time: Time, write: string): Headers => ({
  [timeHeader]: writtenTime(time),
  [writeHeader]: write,
  'content-type': 'application/octet-stream',
})

/** The same for a copy: all that the source has, its time included, which may only be when it was stored. */
export const headersOfCopy = (head: ObjectHead, write: string): Headers => ({
  ...head.headers,
  [timeHeader]: writtenTime(timeIn(head)),
  [writeHeader]: write,
})

export const timeIn = ({ headers, stored }: ObjectHead): Time => parseTime(headers[timeHeader]) ?? timeOf(stored)

export const writeIn = ({ headers }: ObjectHead): string | undefined => headers[writeHeader]

export function fileEntry(key: string, { etag, size }: { etag: string; size: number }, time: Time): Entry {
  const facts = { name: nameOf(`/${key}`), exact: undefined, kind: 'file', isLink: false, size, mode: 0o640 } as const
  // Few callers ask for the version, and listings are long.
  const identity = {
    get version() {
      return versionOf(key, etag)
    },
  }
  return new PlainEntry({ ...facts, ...time }, identity)
}

/** Folders are parts of names, which have no time. `prefix` ends with a slash, unless it is empty. */
export function folderEntry(prefix: string, name: string): Entry {
  const facts = { name, exact: undefined, kind: 'folder', isLink: false, size: 0, mode: 0o750 } as const
  return new PlainEntry({ ...facts, seconds: 0, nanoseconds: 0 }, { version: versionOf(prefix, '') })
}

/** Times that were looked up. What is stored anew has another ETag or is stored at another time, so none gets old. */
export interface TimeMemory {
  get(object: ListedObject): Time | undefined
  set(key: string, head: ObjectHead): void
}

export function timeMemory(most: number): TimeMemory {
  const times = new LruMap<string, Time>(most)
  // A listing may tell fractions of seconds where the object itself does not.
  const idOf = (key: string, etag: string, stored: number) => `${etag} ${Math.floor(stored / 1000)} ${key}`
  return {
    get: ({ key, etag, stored }) => times.get(idOf(key, etag, stored)),
    set: (key, head) => times.set(idOf(key, head.etag, head.stored), timeIn(head)),
  }
}
