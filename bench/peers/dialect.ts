import type { Request } from '../exchange.ts'

type Ask = (served: string) => Request

/** How one kind of server is asked. What it has no words for is left out for it. Paths are those it serves. */
export interface Dialect {
  /** Every entry of a folder with its size and time. */
  list: Ask
  countListed(body: string): number
  download: Ask
  upload: Ask
  /** The smallest answer of the server. */
  health?: string
  listTree?: Ask
  search?(folder: string, words: string): Request
  checksum?: Ask
  readChecksum?(body: string): string
  copyFile?(from: string, to: string): Request
  copyFolder?(from: string, to: string): Request
  /** The address of an upload in parts. */
  tus?(served: string): string
  zip?: Ask
  tarGz?: Ask
  thumbnail?: Ask
}

export const get = (path: string): Request => ({ method: 'GET', path })

export const put = (path: string): Request => ({ method: 'PUT', path, status: 201 })
