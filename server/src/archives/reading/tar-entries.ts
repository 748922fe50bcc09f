import type { Cancellation } from '../../concurrency/cancellation.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import type { ByteReader } from './byte-reader.ts'
import type { EntryHeader } from './entry-index.ts'
import { limits, tooManyEntries } from './limits.ts'
import { broken } from './source.ts'
import { blockSize, isEnd, isTarHeader, numberAt, paddingOf, readPax, textAt } from './tar-blocks.ts'

/** In bytes: a longer pax header or name describes no file that can be made. */
const longestMetadata = 1 << 20

/** What headers before an entry say about it: pax and the two of GNU. */
interface Announced {
  path?: Uint8Array
  isUtf8?: boolean
  size?: number
  modified?: number
  /** A file with holes, which is stored in a form of GNU's own. */
  isSparse?: boolean
}

/**
 * The entries of a tar in their order. While one is in hand, its content is what the reader gives next, `size` bytes of
 * it; what was not taken is passed over. Ends behind the block of zeros; a file that ends without it was cut off.
 */
export async function* tarEntries(reader: ByteReader, signal?: Cancellation): AsyncGenerator<EntryHeader> {
  const pause = timeSlices(signal)
  let announced: Announced = {}
  for (let count = 0; count <= 2 * limits.entries; count += 1) {
    const rest = count % 32 === 0 ? pause() : undefined
    if (rest !== undefined) await rest
    const block = reader.takeNow(blockSize) ?? (await reader.take(blockSize))
    if (block === undefined) throw broken()
    if (isEnd(block)) return
    if (!isTarHeader(block)) throw broken()
    const type = String.fromCharCode(block[156] ?? 0)
    const size = numberAt(block, 124, 12)
    if (isMetadata(type)) {
      announced = { ...announced, ...(await metadata(reader, type, size)) }
      await reader.skip(paddingOf(size))
      continue
    }
    // The block is gone with the next call of the reader.
    const header = headerOf(block, type, announced, reader.position)
    if (type === 'S' && block[482] !== 0) await skipSparseMap(reader)
    announced = {}
    const end = reader.position + contentSize(header, type)
    yield header
    await reader.skip(end - reader.position + paddingOf(contentSize(header, type)))
  }
  throw tooManyEntries()
}

const isMetadata = (type: string): boolean => 'xgLKX'.includes(type)

async function metadata(reader: ByteReader, type: string, size: number): Promise<Announced> {
  if (type === 'g' || type === 'K' || size > longestMetadata) {
    await reader.skip(size)
    return size > longestMetadata && type !== 'g' ? { path: new Uint8Array() } : {}
  }
  const bytes = (await reader.take(size)) ?? new Uint8Array()
  if (bytes.length !== size) throw broken()
  if (type === 'L') return { path: textAt(bytes, 0, size).slice(), isUtf8: false }
  return paxFacts(readPax(bytes))
}

function paxFacts(records: ReadonlyMap<string, Uint8Array>): Announced {
  const number = (key: string): number | undefined => {
    const value = records.get(key)
    if (value === undefined) return undefined
    const parsed = Number(Buffer.from(value).toString('latin1'))
    if (!Number.isFinite(parsed)) throw broken()
    return parsed
  }
  const [path, size, modified] = [records.get('path'), number('size'), number('mtime')]
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) throw broken()
  const isSparse = [...records.keys()].some((key) => key.startsWith('GNU.sparse.'))
  return {
    ...(path !== undefined && { path: path.slice(), isUtf8: true }),
    ...(size !== undefined && { size }),
    ...(modified !== undefined && { modified: Math.floor(modified) }),
    ...(isSparse && { isSparse }),
  }
}

function headerOf(block: Uint8Array, type: string, announced: Announced, offset: number): EntryHeader {
  const name = announced.path ?? nameIn(block)
  const size = announced.size ?? numberAt(block, 124, 12)
  const mode = numberAt(block, 100, 8)
  return {
    name,
    isUtf8: announced.isUtf8 ?? false,
    isFromDos: false,
    kind: announced.isSparse ? 'other' : kindOf(type, name),
    isEncrypted: false,
    isExecutable: (mode & 0o100) !== 0,
    method: 0,
    crc: 0,
    packedSize: size,
    size,
    modified: announced.modified ?? numberAt(block, 136, 12),
    offset,
  }
}

function kindOf(type: string, name: Uint8Array): EntryHeader['kind'] {
  if (type === '5') return 'folder'
  if (type === '0' || type === '\0' || type === '7') return name.at(-1) === 0x2f ? 'folder' : 'file'
  return 'other'
}

/** Links, devices and folders have no content, whatever size they tell. */
const contentSize = ({ size }: EntryHeader, type: string): number => ('123456'.includes(type) ? 0 : size)

/** In ustar two fields make a long name. */
function nameIn(block: Uint8Array): Uint8Array {
  const name = textAt(block, 0, 100)
  const isUstar = block[262] === 0 && Buffer.from(block.subarray(257, 262)).toString('latin1') === 'ustar'
  const prefix = isUstar ? textAt(block, 345, 155) : new Uint8Array()
  return prefix.length === 0 ? name.slice() : Buffer.concat([prefix, Buffer.from('/'), name])
}

async function skipSparseMap(reader: ByteReader): Promise<void> {
  for (;;) {
    const block = await reader.take(blockSize)
    if (block === undefined) throw broken()
    if (block[504] === 0) return
  }
}
