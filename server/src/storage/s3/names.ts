import { createHash } from 'node:crypto'
import { Failure } from '../../failure.ts'
import { draftPrefix, type VirtualPath } from '../path.ts'

/** What paths are called in the bucket. */
export interface Names {
  keyOf(path: VirtualPath): string
  /** What the keys of all below a folder begin with; ends with a slash, unless it is empty. */
  prefixOf(folder: VirtualPath): string
  /** Of an object of the product itself: the part of a draft, or what is tried at mount time. */
  hiddenKey(store: string, name: string): string
  /** With which all of these begin. */
  readonly hidden: string
}

/** At the root of the mount, where no request can name it. */
const hiddenFolder = `${draftPrefix}store`

export function namesIn(prefix: string): Names {
  const root = prefix === '' ? '' : `${prefix}/`
  const keyOf = (path: VirtualPath): string => {
    if (!path.isWellFormed()) throw new Failure('invalid', 'the object storage takes only names that are valid Unicode')
    return `${root}${path.slice(1)}`
  }
  return {
    keyOf,
    prefixOf: (folder) => (folder === '/' ? root : `${keyOf(folder)}/`),
    hidden: `${root}${hiddenFolder}/`,
    hiddenKey: (store, name) => `${root}${hiddenFolder}/${store}/${name}`,
  }
}

/** Names that a path can hold. Others come from programs for which a key is a text like any other. */
export const isName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('\0') && Buffer.byteLength(name) <= 255

/**
 * The version of a file: its ETag, and a few digits of its name, since files of equal contents have equal ETags and must not
 * count as the same thing.
 */
export const versionOf = (key: string, etag: string): string =>
  `"${etag}:${createHash('sha1').update(key).digest('hex').slice(0, 8)}"`

export const etagIn = (version: string): string => version.replace(/^"|:[^:]*"$/g, '')
