import { crc32, deflateRawSync } from 'node:zlib'
import { PlainEntry } from '../../storage/entry.ts'
import type { OpenFile } from '../../storage/port.ts'
import type { Source } from './source.ts'

/** What stands in a zip about one entry; whatever is given is written, true or not. */
export interface ZipFacts {
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  readonly method?: number
  readonly flags?: number
  readonly host?: number
  readonly mode?: number
  readonly size?: number
  readonly packedSize?: number
  readonly crc?: number
  readonly offset?: number
  readonly extra?: Uint8Array
  /** Bytes of the content as they lie in the file. */
  readonly packed?: Uint8Array
  /** Nothing is written before the table of contents: `offset` says where the content is. */
  readonly isOnlyListed?: boolean
}

/** A zip made by hand, which can tell lies. */
export function zipOf(
  entries: readonly ZipFacts[],
  { comment = '', count = entries.length, prefix = '' } = {},
): Buffer {
  const parts: Buffer[] = [Buffer.from(prefix)]
  const directory: Buffer[] = []
  let length = prefix.length
  const put = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  for (const facts of entries) {
    const name = Buffer.from(facts.name)
    const content = Buffer.from(facts.content ?? '')
    const method = facts.method ?? 8
    const packed = Buffer.from(facts.packed ?? (method === 8 ? deflateRawSync(content) : content))
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(facts.flags ?? 0x800, 2)
    shared.writeUInt16LE(method, 4)
    shared.writeUInt16LE(0, 6)
    shared.writeUInt16LE(((2026 - 1980) << 9) | (5 << 5) | 4, 8)
    shared.writeUInt32LE(facts.crc ?? crc32(content), 10)
    shared.writeUInt32LE(facts.packedSize ?? packed.length, 14)
    shared.writeUInt32LE(facts.size ?? content.length, 18)
    shared.writeUInt16LE(name.length, 22)
    const offset = facts.offset ?? length
    if (!facts.isOnlyListed) put(Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.alloc(0), name, packed]))
    const extra = Buffer.from(facts.extra ?? '')
    const head = Buffer.alloc(46)
    head.write('PK\x01\x02', 'latin1')
    head.writeUInt16LE(20 | ((facts.host ?? 3) << 8), 4)
    shared.copy(head, 6)
    head.writeUInt16LE(extra.length, 30)
    head.writeUInt32LE(((facts.mode ?? (String(facts.name).endsWith('/') ? 0o040755 : 0o100644)) << 16) >>> 0, 38)
    head.writeUInt32LE(offset - prefix.length, 42)
    directory.push(Buffer.concat([head, name, extra]))
  }
  const start = length - prefix.length
  const table = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(count & 0xffff, 8)
  end.writeUInt16LE(count & 0xffff, 10)
  end.writeUInt32LE(table.length, 12)
  end.writeUInt32LE(start, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...parts, table, end, Buffer.from(comment, 'latin1')])
}

export interface TarFacts {
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  readonly type?: string
  readonly link?: string
  readonly size?: number | string
}

/** A tar made by hand. */
export function tarOf(entries: readonly TarFacts[], { ends = true } = {}): Buffer {
  const blocks = entries.flatMap(({ name, content = '', type = '0', link = '', size }) => {
    const bytes = Buffer.from(content)
    const block = Buffer.alloc(512)
    Buffer.from(name).copy(block, 0, 0, 100)
    block.write('0000644\0', 100)
    block.write('0000000\0', 108)
    block.write('0000000\0', 116)
    block.write(
      typeof size === 'string' ? size : `${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`,
      124,
      'latin1',
    )
    block.write('14000000000\0', 136)
    block.write(type, 156)
    block.write(link, 157)
    block.write('ustar\x0000', 257, 'latin1')
    block.fill(' ', 148, 156)
    const sum = block.reduce((total, byte) => total + byte, 0)
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(ends ? 1024 : 0)])
}

export const paxOf = (records: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(
    Object.entries(records).map(([key, value]) => {
      const rest = Buffer.byteLength(` ${key}=${value}\n`)
      let length = rest
      while (String(length).length + rest !== length) length = String(length).length + rest
      return Buffer.from(`${length} ${key}=${value}\n`)
    }),
  )

export const sourceIn = (bytes: Uint8Array): Source => ({
  size: bytes.length,
  async read(start, length) {
    if (!(start >= 0 && length >= 0 && start + length <= bytes.length)) throw new Error('read outside of the file')
    return new Uint8Array(bytes.subarray(start, start + length))
  },
})

/** An open file in memory. */
export const openFileOf = (bytes: Uint8Array<ArrayBuffer>, id?: string): OpenFile => ({
  entry: new PlainEntry(
    { name: 'a', kind: 'file', isLink: false, size: bytes.length, mode: 0o644, seconds: 0, nanoseconds: 0 },
    { id, version: '"1"' },
  ),
  content: new Blob([bytes]),
  head: async () => bytes.subarray(0, 512),
  close() {},
})
