import { isUtf8 } from 'node:buffer'
import { isFailure } from '../../failure.ts'
import { checkedPath } from '../../storage/path.ts'
import { limits } from './limits.ts'

const [slash, backslash, dot, colon] = [0x2f, 0x5c, 0x2e, 0x3a]

/** Can the bytes be taken as they are: a relative path of plain names? Most of an archive's million names can. */
export function isPlainPath(name: Uint8Array): boolean {
  if (name.length === 0 || name.length > limits.path || name[1] === colon) return false
  let [start, depth] = [0, 1]
  for (let at = 0; at < name.length; at += 1) {
    const byte = name[at] as number
    if (byte === slash) {
      if (at === start || at - start > limits.name) return false
      start = at + 1
      depth += 1
    } else if (byte === 0 || byte === backslash || (byte === dot && at === start)) return false
  }
  return start < name.length && name.length - start <= limits.name && depth <= limits.depth && isUtf8(name)
}

/** A path of an archive as a relative path of ours, or why there is none. */
export type SafeName = { readonly path: string; readonly endsWithSlash: boolean } | undefined

interface Manner {
  /** Written by a system that separates names with backslashes. */
  readonly isFromDos: boolean
}

/**
 * Undefined for a name that is not taken: one that leads out, that no file can have, or that is kept for the product. An
 * absolute one, or one with the letter of a drive, is taken as if it began here, which is what the usual tools do.
 */
export function safeName(text: string, { isFromDos }: Manner): SafeName {
  const parts = (isFromDos ? text.replaceAll('\\', '/').replace(/^[A-Za-z]:\//, '') : text).split('/')
  const segments = parts.filter((segment) => segment !== '' && segment !== '.')
  if (segments.length === 0 || segments.length > limits.depth) return undefined
  // Harmless here, but a client that saves it elsewhere may take it for a path.
  if (segments.some((segment) => segment.split('\\').includes('..'))) return undefined
  if (segments.some((segment) => Buffer.byteLength(segment) > limits.name)) return undefined
  const path = segments.join('/').replaceAll('\ufffd', '_').toWellFormed()
  if (!isTaken(path)) return undefined
  return { path, endsWithSlash: parts.at(-1) === '' || parts.at(-1) === '.' }
}

function isTaken(path: string): boolean {
  try {
    return checkedPath(path).length === path.length + 1
  } catch (error) {
    if (isFailure(error, 'invalid', 'forbidden')) return false
    throw error
  }
}
