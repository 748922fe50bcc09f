import { accountName } from '../storage/linux/account.ts'

interface Place {
  readonly port: number
  /** The option that chooses another place. */
  readonly option: string
}

/** Why nothing can listen on a port, and what to do about it. */
export function reasonNotToListen({ port, option }: Place, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `the port is in use. Choose another one with ${option}, or find out who has it: ss -ltnp 'sport = :${port}'`
    case 'EACCES':
      return `account ${accountName()} may not use it. Choose one above 1023 with ${option}`
    case 'EADDRNOTAVAIL':
      return `that is no address of this machine. Choose another one with ${option === '--port' ? '--address' : option}`
    default:
      return error.message
  }
}

/** The same for a unix socket. */
export function reasonNotToListenAt(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'another server uses it, or a file is in its place. Choose another one with --socket'
    case 'ENOENT':
      return 'there is no such folder'
    case 'EACCES':
      return `account ${accountName()} may not make it there`
    default:
      return error.message
  }
}

/** Why a file cannot be the log. */
export function reasonNotToLog(error: NodeJS.ErrnoException): string {
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
