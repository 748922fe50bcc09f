import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { Failure } from '../failure.ts'

/** The magic number in the head of a BoltDB, the database of File Browser. */
export const boltMagic = 0xed0cdaed
/** Pages are as large as they were on the machine that made the file; the second head lies one page behind the first. */
export const boltPageSizes = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]

/** An empty file counts as missing: containers mount one in the place of the database. */
export const isMissing = (file: string): boolean => !existsSync(file) || (isFile(file) && statSync(file).size === 0)

/** False also where this account may not enter the folder. */
export function isFile(file: string): boolean {
  try {
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** A database of File Browser, damaged or not: one of its two heads is recognised. */
export function isPredecessors(file: string): boolean {
  if (isMissing(file) || !isReadable(file)) return false
  const head = headOf(file, 65_536 + 20)
  return [0, ...boltPageSizes].some((at) => at + 20 <= head.length && head.readUInt32LE(at + 16) === boltMagic)
}

/** Refuses the file of another program before anything is written to it. */
export function requireSqliteFile(file: string): void {
  if (isMissing(file)) return
  requireFile(file)
  if (headOf(file, 16).toString('latin1') === 'SQLite format 3\0') return
  throw new Failure(
    'invalid',
    `${file} is a database neither of Filestead nor of File Browser. Name another file with --database`,
  )
}

/** Refuses what cannot be read as a file: to open a pipe would wait forever. */
export function requireFile(file: string): void {
  if (statSync(file).isDirectory()) throw new Failure('invalid', `${file} is a folder, not a file`)
  if (!isFile(file)) throw new Failure('invalid', `${file} is not a file`)
  if (!isReadable(file)) throw new Failure('invalid', `${file} cannot be read`)
}

/**
 * The heads of SQLite files, whose descriptors stay open: closing any descriptor of a file drops every lock that this
 * process holds on it, those of SQLite included, and the next command that ends would remove the log of a running server.
 */
const knownHeads = new Map<string, Buffer>()

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return isFile(file)
  } catch {
    return false
  }
}

function headOf(file: string, length: number): Buffer {
  const known = knownHeads.get(file)
  if (known !== undefined) return known.subarray(0, length)
  const head = Buffer.alloc(length)
  try {
    const opened = openSync(file, 'r')
    const found = head.subarray(0, readSync(opened, head))
    if (found.toString('latin1', 0, 16) === 'SQLite format 3\0') knownHeads.set(file, found)
    else closeSync(opened)
    return found
  } catch {
    throw new Failure('invalid', `${file} cannot be read`)
  }
}
