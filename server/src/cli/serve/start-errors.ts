import { existsSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { decoderProgram, launcherProgram } from '../../parts.ts'
import { accountName } from '../../storage/linux/account.ts'

/** Throws unless the served folder is a folder that can be read. */
export function requireFolder(root: string): void {
  let isFolder = false
  try {
    isFolder = statSync(root).isDirectory()
  } catch (error) {
    const isClosed = (error as NodeJS.ErrnoException).code === 'EACCES'
    throw new Error(
      isClosed
        ? `Cannot serve ${root}: account ${accountName()} may not enter the folder it is in`
        : `Cannot serve ${root}: it does not exist. Make it, mount its disk, or name another folder with --root`,
    )
  }
  if (!isFolder) throw new Error(`Cannot serve ${root}: it is not a folder. Name another one with --root`)
}

/** What a release lacks without the folder beside its executable; undefined where it is complete. */
export function missingParts(): string | undefined {
  const missing = [launcherProgram, decoderProgram].find((part) => !existsSync(part))
  return missing === undefined
    ? undefined
    : `${missing} is missing: there are no thumbnails, commands and hooks, and not all archive formats. The folder lib belongs beside the program: unpack the whole release again.`
}

interface Port {
  readonly host: string
  readonly port: number
  /** The option with which another port is chosen. */
  readonly option: string
}

/** Why the server cannot listen on a port, and what to do about it. */
export function portError({ host, port, option }: Port, error: NodeJS.ErrnoException): string {
  // The runtime has several codes for what is no address, one of which means another thing.
  switch (isNumeric(host) && isIP(host) === 0 ? 'ENXIO' : error.code) {
    case 'EADDRINUSE':
      return `the port is in use. Choose another one with ${option}, or find out who has it: ss -ltnp 'sport = :${port}'`
    case 'EACCES':
      return `account ${accountName()} may not use it. Choose one above 1023 with ${option}`
    case 'EADDRNOTAVAIL':
    // What is no address at all, or a name that no machine has.
    case 'ENXIO':
    case 'ENOTFOUND':
      return `that is no address of this machine. Choose another one with ${option === '--port' ? '--address' : option}`
    default:
      return error.message
  }
}

const isNumeric = (host: string): boolean => /^[\d.]+$/.test(host)

/** Why the server cannot listen on a unix socket. */
export function socketError(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'another server uses it, or a file is in its place. Choose another one with --socket'
    case 'ENOENT':
      return 'there is no such folder'
    case 'EACCES':
      return `account ${accountName()} may not make it there`
    case 'ENAMETOOLONG':
      return 'its path is too long. Choose another one with --socket'
    default:
      return error.message
  }
}

/** Why the log cannot be written to a file. */
export function logFileError(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EACCES':
      return `account ${accountName()} may not write there`
    case 'EISDIR':
      return 'it is a folder'
    case 'EEXIST':
    case 'ENOTDIR':
      return 'what it names as a folder is none'
    default:
      return error.message
  }
}
