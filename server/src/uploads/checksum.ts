import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Failure } from '../failure.ts'

export const checksumAlgorithms = ['sha1', 'md5', 'sha256', 'sha512', 'crc32'] as const

export interface Checksum {
  readonly algorithm: (typeof checksumAlgorithms)[number]
  readonly digest: Buffer
}

/** "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", as the tus protocol writes it. */
export function parseChecksum(text: string): Checksum {
  const [name, digest, ...more] = text.trim().split(/ +/)
  const algorithm = checksumAlgorithms.find((known) => known === name)
  if (algorithm === undefined) throw new Failure('invalid', 'the checksum algorithm is not known')
  if (digest === undefined || more.length > 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(digest))
    throw new Failure('invalid', 'the checksum is not base64')
  return { algorithm, digest: Buffer.from(digest, 'base64') }
}

export interface Checker {
  update(piece: Uint8Array): void
  /** Throws if the bytes have another checksum. */
  verify(): void
}

export function checker(checksum: Checksum | undefined): Checker {
  if (checksum === undefined) return { update() {}, verify() {} }
  const { update, digest } = checksum.algorithm === 'crc32' ? crcOf() : hashOf(checksum.algorithm)
  return {
    update,
    verify() {
      if (!digest().equals(checksum.digest)) throw new Failure('checksum-mismatch', 'The bytes do not fit the checksum')
    },
  }
}

function hashOf(algorithm: string) {
  const hash = createHash(algorithm)
  return { update: (piece: Uint8Array) => void hash.update(piece), digest: () => hash.digest() }
}

function crcOf() {
  let crc = 0
  return {
    update(piece: Uint8Array) {
      crc = crc32(piece, crc)
    },
    digest() {
      const digest = Buffer.alloc(4)
      digest.writeUInt32BE(crc)
      return digest
    },
  }
}
