import type { ReadOnlyFile } from './file.ts'
import type { Meta } from './meta.ts'

/** A page of the B+ tree: its bytes from the header on, and its name for error messages. */
export interface Page {
  readonly bytes: Buffer
  readonly name: string
}

export interface Leaf {
  readonly key: Buffer
  readonly value: Buffer
  readonly isBucket: boolean
}

export interface Branch {
  readonly key: Buffer
  readonly page: number
}

const branchFlag = 1
const leafFlag = 2
const bucketFlag = 1
const headerSize = 16
const elementSize = 16
/** The first two pages are meta pages. */
const firstPage = 2

export const isPage = (pageCount: number, id: number): boolean =>
  Number.isSafeInteger(id) && id >= firstPage && id < pageCount

export function readPage(file: ReadOnlyFile, { pageSize, pageCount }: Meta, id: number): Page {
  const name = `page ${id}`
  if (!isPage(pageCount, id))
    throw file.damage(`${name} is named, but there are only pages ${firstPage} to ${pageCount - 1}`)
  const header = file.read(id * pageSize, headerSize)
  if (Number(header.readBigUInt64LE(0)) !== id)
    throw file.damage(`${name} calls itself ${header.readBigUInt64LE(0)}, so its bytes are not what they should be`)
  const length = header.readUInt32LE(12) + 1
  if (id + length > pageCount) throw file.damage(`${name} claims to be ${length} pages long, beyond the last one`)
  return { name, bytes: file.read(id * pageSize, length * pageSize) }
}

/** The page of an inline bucket. */
export const inlinePage = (bytes: Buffer, name: string): Page => ({ bytes, name })

export function isBranch(file: ReadOnlyFile, { bytes, name }: Page): boolean {
  if (bytes.length < headerSize) throw file.damage(`${name} is too short`)
  const flags = bytes.readUInt16LE(8)
  if (flags !== branchFlag && flags !== leafFlag) throw file.damage(`${name} is of an unknown kind (${flags})`)
  return flags === branchFlag
}

export function* leavesOf(file: ReadOnlyFile, page: Page): Generator<Leaf> {
  const part = partsOf(file, page)
  for (const at of elementsOf(file, page)) {
    const [flags = 0, offset = 0, keySize = 0, valueSize = 0] = [0, 4, 8, 12].map((shift) =>
      page.bytes.readUInt32LE(at + shift),
    )
    if (flags !== 0 && flags !== bucketFlag) throw file.damage(`an element of ${page.name} is of an unknown kind`)
    const key = at + offset
    yield { key: part(key, keySize), value: part(key + keySize, valueSize), isBucket: flags === bucketFlag }
  }
}

export function* branchesOf(file: ReadOnlyFile, page: Page): Generator<Branch> {
  const part = partsOf(file, page)
  for (const at of elementsOf(file, page))
    yield {
      key: part(at + page.bytes.readUInt32LE(at), page.bytes.readUInt32LE(at + 4)),
      page: Number(page.bytes.readBigUInt64LE(at + 8)),
    }
}

function* elementsOf(file: ReadOnlyFile, { bytes, name }: Page): Generator<number> {
  const count = bytes.readUInt16LE(10)
  if (headerSize + count * elementSize > bytes.length) throw file.damage(`${name} claims to hold ${count} elements`)
  for (let index = 0; index < count; index += 1) yield headerSize + index * elementSize
}

/** Keys and values are contiguous; a gap or an overlap is damage. */
function partsOf(file: ReadOnlyFile, { bytes, name }: Page): (from: number, length: number) => Buffer {
  let next = headerSize + bytes.readUInt16LE(10) * elementSize
  return (from, length) => {
    if (from + length > bytes.length) throw file.damage(`an element of ${name} lies outside of it`)
    if (from !== next) throw file.damage(`an element of ${name} is not where the one before it ends`)
    next = from + length
    return bytes.subarray(from, next)
  }
}
