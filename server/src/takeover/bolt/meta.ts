import { boltMagic, boltPageSizes } from '../../database/kinds.ts'
import type { ReadOnlyFile } from './file.ts'

/** A meta page of a BoltDB file. */
export interface Meta {
  readonly pageSize: number
  /** The page of the root bucket. */
  readonly root: number
  /** The high-water mark: all pages in use have smaller numbers. */
  readonly pageCount: number
  readonly transaction: bigint
}

export interface NewestMeta extends Meta {
  /** The other meta page is damaged, and may have been the newer one. */
  readonly isSpare: boolean
}

const knownVersion = 2
const headerSize = 16
const bodySize = 64

/** Two meta pages are written in turn; the newer valid one counts. */
export function newestMeta(file: ReadOnlyFile): NewestMeta {
  const problems: string[] = []
  const at = (offset: number): Meta | undefined => {
    const found = metaAt(file, offset)
    if (typeof found !== 'string') return found
    problems.push(found)
    return undefined
  }
  const first = at(0)
  const places = first === undefined ? boltPageSizes : [first.pageSize]
  const second = places
    .filter((offset) => offset + headerSize + bodySize <= file.size)
    .map(at)
    .find((meta, index) => meta !== undefined && meta.pageSize === places[index])
  const metas = [first, second].filter((meta) => meta !== undefined)
  const [newest] = metas.sort((one, two) => (one.transaction > two.transaction ? -1 : 1))
  if (newest === undefined) throw file.damage(`neither of its two heads can be used (the first one: ${problems[0]})`)
  // Each transaction writes one of them, so two with the same number cannot both be originals.
  return {
    ...newest,
    isSpare: metas.length === 1 || metas.every(({ transaction }) => transaction === newest.transaction),
  }
}

/** The meta page at this offset, or the reason why it is invalid. */
function metaAt(file: ReadOnlyFile, offset: number): Meta | string {
  if (offset + headerSize + bodySize > file.size) return 'the file is too short'
  const body = file.read(offset + headerSize, bodySize)
  if (body.readUInt32LE(0) !== boltMagic) return 'it does not begin with the mark of a BoltDB'
  const version = body.readUInt32LE(4)
  if (version !== knownVersion) return `its format has version ${version}, and only ${knownVersion} is known`
  if (body.readBigUInt64LE(56) !== checksumOf(body.subarray(0, 56))) return 'its checksum does not match'
  const pageSize = body.readUInt32LE(8)
  if (!boltPageSizes.includes(pageSize)) return `its page size is ${pageSize}`
  return {
    pageSize,
    root: Number(body.readBigUInt64LE(16)),
    pageCount: Number(body.readBigUInt64LE(40)),
    transaction: body.readBigUInt64LE(48),
  }
}

/** FNV-1a, 64 bits. */
export function checksumOf(bytes: Uint8Array): bigint {
  let sum = 0xcbf29ce484222325n
  for (const byte of bytes) sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & 0xffff_ffff_ffff_ffffn
  return sum
}
