import { checksumOf } from '../src/takeover/bolt/meta.ts'

/** What a bucket is to hold: bytes, text, or a further bucket. */
export interface Content {
  [key: string]: string | Buffer | Content
}

const usualPageSize = 4096
const headerSize = 16
const elementSize = 16
const branch = 1
const leaf = 2
const metaPage = 4
const freelist = 16

interface Element {
  key: Buffer
  /** The value of a leaf. */
  value: Buffer
  isBucket: boolean
  /** The page below a branch. */
  page: number
}

/**
 * Writes a BoltDB as the real library does: two meta pages, a freelist, and trees of pages, as large as those of the machine.
 * Keys are taken as latin1.
 */
export function boltOf(content: Content, pageSize = usualPageSize): Buffer {
  const pages = new Pages(pageSize)
  const root = pages.tree(elementsOf(content, pages))
  return pages.file(root)
}

/** Computes the checksums of the meta pages again after a test changed them. */
export function sealed(file: Buffer): Buffer {
  for (const at of [0, usualPageSize])
    file.writeBigUInt64LE(checksumOf(file.subarray(at + 16, at + 16 + 56)), at + 16 + 56)
  return file
}

class Pages {
  private readonly parts: Buffer[] = []
  /** Two meta pages and the freelist come first. */
  private next = 3

  constructor(readonly pageSize: number) {}

  tree(elements: Element[], flags = leaf): number {
    const written = inGroups(elements, flags, this.pageSize).map((group) => this.page(group, flags))
    if (written.length === 1) return written[0]?.page ?? 0
    return this.tree(written, branch)
  }

  private page(elements: Element[], flags: number): Element {
    const body = pageOf(elements, flags)
    const span = Math.ceil(body.length / this.pageSize)
    const bytes = Buffer.alloc(span * this.pageSize)
    body.copy(bytes)
    bytes.writeBigUInt64LE(BigInt(this.next), 0)
    bytes.writeUInt32LE(span - 1, 12)
    const page = this.next
    this.parts.push(bytes)
    this.next += span
    return { key: elements[0]?.key ?? Buffer.alloc(0), value: Buffer.alloc(0), isBucket: false, page }
  }

  file(root: number): Buffer {
    const free = Buffer.alloc(this.pageSize)
    free.writeBigUInt64LE(2n, 0)
    free.writeUInt16LE(freelist, 8)
    return Buffer.concat([this.head(0, root), this.head(1, root), free, ...this.parts])
  }

  private head(id: number, root: number): Buffer {
    const bytes = Buffer.alloc(this.pageSize)
    bytes.writeBigUInt64LE(BigInt(id), 0)
    bytes.writeUInt16LE(metaPage, 8)
    bytes.writeUInt32LE(0xed0cdaed, 16)
    bytes.writeUInt32LE(2, 20)
    bytes.writeUInt32LE(this.pageSize, 24)
    bytes.writeBigUInt64LE(BigInt(root), 32)
    bytes.writeBigUInt64LE(2n, 48)
    bytes.writeBigUInt64LE(BigInt(this.next), 56)
    // The library writes even transactions to the first meta page, odd ones to the second.
    bytes.writeBigUInt64LE(BigInt(6 + id), 64)
    bytes.writeBigUInt64LE(checksumOf(bytes.subarray(16, 72)), 72)
    return bytes
  }
}

function elementsOf(content: Content, pages: Pages): Element[] {
  const elements = Object.entries(content).map(([name, value]): Element => {
    const key = Buffer.from(name, 'latin1')
    if (typeof value === 'string') return { key, value: Buffer.from(value), isBucket: false, page: 0 }
    if (Buffer.isBuffer(value)) return { key, value, isBucket: false, page: 0 }
    return { key, value: bucketValue(elementsOf(value, pages), pages), isBucket: true, page: 0 }
  })
  return elements.sort((one, two) => Buffer.compare(one.key, two.key))
}

/** Small buckets without buckets in them are written into their value. */
function bucketValue(elements: Element[], pages: Pages): Buffer {
  const header = Buffer.alloc(16)
  const size = elements.reduce((sum, { key, value }) => sum + elementSize + key.length + value.length, headerSize)
  if (size <= pages.pageSize / 4 && elements.every(({ isBucket }) => !isBucket))
    return Buffer.concat([header, pageOf(elements, leaf)])
  header.writeBigUInt64LE(BigInt(pages.tree(elements)), 0)
  return header
}

function inGroups(elements: Element[], flags: number, pageSize: number): Element[][] {
  const groups: Element[][] = [[]]
  let size = headerSize
  for (const element of elements) {
    const needed = elementSize + element.key.length + (flags === leaf ? element.value.length : 0)
    if (size + needed > pageSize && groups.at(-1)?.length !== 0) {
      groups.push([])
      size = headerSize
    }
    groups.at(-1)?.push(element)
    size += needed
  }
  return groups
}

function pageOf(elements: Element[], flags: number): Buffer {
  const head = Buffer.alloc(headerSize + elements.length * elementSize)
  head.writeUInt16LE(flags, 8)
  head.writeUInt16LE(elements.length, 10)
  let at = head.length
  elements.forEach(({ key, value, isBucket, page }, index) => {
    const place = headerSize + index * elementSize
    const offset = at - place
    if (flags === leaf) {
      head.writeUInt32LE(isBucket ? 1 : 0, place)
      head.writeUInt32LE(offset, place + 4)
      head.writeUInt32LE(key.length, place + 8)
      head.writeUInt32LE(value.length, place + 12)
      at += key.length + value.length
    } else {
      head.writeUInt32LE(offset, place)
      head.writeUInt32LE(key.length, place + 4)
      head.writeBigUInt64LE(BigInt(page), place + 8)
      at += key.length
    }
  })
  const bodies = elements.flatMap(({ key, value }) => (flags === leaf ? [key, value] : [key]))
  return Buffer.concat([head, ...bodies])
}
