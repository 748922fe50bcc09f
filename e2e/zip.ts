import { crc32 } from 'node:zlib'

interface ZipOptions {
  /** How names are written where they are not said to be UTF-8. */
  encodeName?: (name: string) => Uint8Array
  /** Names of files that claim to be protected by a password. */
  encrypted?: readonly string[]
}

/** A small archive, stored as it is. A name that ends in a slash is a folder. */
export function zipOf(files: Record<string, string | Uint8Array>, { encodeName, encrypted = [] }: ZipOptions = {}) {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(encodeName?.(name) ?? name)
    const data = Buffer.from(content)
    const flags = (encodeName === undefined ? 0x0800 : 0) | (encrypted.includes(name) ? 1 : 0)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(flags, 2)
    // 1 March 2024, at noon.
    fields.writeUInt16LE(0x6000, 6)
    fields.writeUInt16LE(0x5861, 8)
    fields.writeUInt32LE(crc32(data), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(data.length, 18)
    fields.writeUInt16LE(bytes.length, 22)
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), fields, bytes, data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, rest, bytes]))
    bodies.push(body)
    offset += body.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(size, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...bodies, ...directory, Buffer.from('PK\x05\x06'), end])
}
