/** The packets of version 3 of the SFTP protocol, the one that servers speak. Names travel as bytes, so any name can be told. */
export const request = {
  init: 1,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  rename: 18,
  readlink: 19,
  symlink: 20,
  extended: 200,
} as const

export const response = {
  version: 2,
  outcome: 101,
  handle: 102,
  data: 103,
  name: 104,
  attributes: 105,
  extended: 201,
} as const

export const status = { ok: 0, eof: 1, noSuchFile: 2, denied: 3, failure: 4, badMessage: 5, unsupported: 8 } as const

export const openFlag = { read: 1, write: 2, create: 8, truncate: 16, exclusive: 32 } as const

const attributeFlag = { size: 1, owner: 2, permissions: 4, times: 8, extended: 0x80000000 } as const

/** Each is undefined where the server has not told it. */
export interface Attributes {
  readonly size?: number | undefined
  /** With the bits of the kind. */
  readonly permissions?: number | undefined
  /** In seconds since 1970, as all times of this protocol. */
  readonly modified?: number | undefined
}

export interface NamedAttributes extends Attributes {
  readonly name: Uint8Array
}

/** A part of a packet: a number of 32 bits, one of 64, or a string with its length in front. */
export type Field = number | bigint | Uint8Array

export const text = (value: string): Uint8Array => Buffer.from(value)

export function packet(type: number, id: number, fields: readonly Field[]): Buffer {
  const length = fields.reduce<number>((sum, field) => sum + lengthOf(field), 5)
  const out = Buffer.allocUnsafe(4 + length)
  out.writeUInt32BE(length, 0)
  out[4] = type
  out.writeUInt32BE(id, 5)
  let at = 9
  for (const field of fields) {
    if (typeof field === 'number') at = out.writeUInt32BE(field, at)
    else if (typeof field === 'bigint') at = out.writeBigUInt64BE(field, at)
    else {
      at = out.writeUInt32BE(field.length, at)
      out.set(field, at)
      at += field.length
    }
  }
  return out
}

const lengthOf = (field: Field): number =>
  typeof field === 'number' ? 4 : typeof field === 'bigint' ? 8 : 4 + field.length

/** What `setstat`, `open` and `mkdir` send. Both times are set together: the protocol knows no other way. */
export function attributeFields({ size, permissions, modified }: Attributes): Field[] {
  const flags =
    (size === undefined ? 0 : attributeFlag.size) |
    (permissions === undefined ? 0 : attributeFlag.permissions) |
    (modified === undefined ? 0 : attributeFlag.times)
  return [
    flags,
    ...(size === undefined ? [] : [BigInt(size)]),
    ...(permissions === undefined ? [] : [permissions]),
    ...(modified === undefined ? [] : [modified, modified]),
  ]
}

/** Reads the fields of a packet in their order. One that is shorter than it says ends with a RangeError. */
export class PacketReader {
  #at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    this.#at += 1
    return this.#bytes.readUInt8(this.#at - 1)
  }

  number(): number {
    this.#at += 4
    return this.#bytes.readUInt32BE(this.#at - 4)
  }

  long(): number {
    this.#at += 8
    return Number(this.#bytes.readBigUInt64BE(this.#at - 8))
  }

  string(): Buffer<ArrayBuffer> {
    const length = this.number()
    const start = this.#at
    if (start + length > this.#bytes.length) throw new RangeError('A string is longer than its packet')
    this.#at += length
    return this.#bytes.subarray(start, start + length) as Buffer<ArrayBuffer>
  }

  attributes(): Attributes {
    const flags = this.number()
    const size = flags & attributeFlag.size ? this.long() : undefined
    if (flags & attributeFlag.owner) this.#at += 8
    const permissions = flags & attributeFlag.permissions ? this.number() : undefined
    let modified: number | undefined
    if (flags & attributeFlag.times) {
      this.#at += 4
      modified = this.number()
    }
    if (flags & attributeFlag.extended)
      for (let left = this.number(); left > 0; left -= 1) {
        this.string()
        this.string()
      }
    return { size, permissions, modified }
  }
}

/** Cuts a stream of bytes into packets. Each gets memory of its own, so that what is read may be handed on. */
export class PacketSplitter {
  readonly #take: (packet: Buffer) => void
  readonly #length = Buffer.alloc(4)
  #lengthFilled = 0
  #packet: Buffer | undefined
  #filled = 0

  constructor(take: (packet: Buffer) => void) {
    this.#take = take
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#packet === undefined) {
        this.#length[this.#lengthFilled] = chunk[at] ?? 0
        this.#lengthFilled += 1
        at += 1
        if (this.#lengthFilled === 4) this.#begin()
        continue
      }
      const copied = chunk.copy(this.#packet, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled === this.#packet.length) {
        const whole = this.#packet
        this.#packet = undefined
        this.#take(whole)
      }
    }
  }

  #begin(): void {
    const length = this.#length.readUInt32BE()
    if (length < 5 || length > longestPacket) throw new RangeError(`A packet of ${length} bytes`)
    this.#packet = Buffer.allocUnsafeSlow(length)
    this.#filled = 0
    this.#lengthFilled = 0
  }
}

/** In bytes. OpenSSH sends no longer ones. */
const longestPacket = 256 * 1024 + 1024
