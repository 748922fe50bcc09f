import type { UploadNote } from './multipart.ts'
import type { Names } from './names.ts'
import type { Objects } from './objects.ts'
import type { WritingParts } from './writing.ts'

export interface DraftParts extends WritingParts {
  readonly names: Names
  readonly bucket: string
}

/**
 * What a draft consists of, as it is noted after each part. The blocks are parts of a multipart upload, which cannot be
 * read, where the length was known at the beginning; else objects of their own, which can be read and cut, and of which the
 * server makes the file at the end. What follows the last block is the tail: one more object, rewritten with each piece.
 */
export interface State extends UploadNote {
  /** Of the hidden objects. */
  readonly store: string
  readonly write: string
  readonly isReadable: boolean
  readonly partSize: number
  /** Of the file, in milliseconds since 1970. */
  readonly modified: number | undefined
  /** There is an upload, or there may be one whose id was not noted. */
  isBegun: boolean
  blocks: Block[]
  /** In bytes. The object may have more, from a process that died before it could note them. */
  tail: number
}

export type Block = readonly [size: number, etag: string]

export const sizeOf = ({ blocks, tail }: State): number => blockSize(blocks) + tail
export const blockSize = (blocks: readonly Block[]): number => blocks.reduce((sum, [size]) => sum + size, 0)

/** Removes the hidden objects of a draft. */
export async function clearStore(objects: Objects, prefix: string): Promise<void> {
  let token: string | undefined
  do {
    const page = await objects.page(prefix, { isFlat: true, token })
    await objects.removeAll(page.objects.map(({ key }) => key))
    token = page.token
  } while (token !== undefined)
}
