import { Failure } from '../../failure.ts'
import { bytesOf, textOf } from '../exact-names.ts'
import { draftPrefix, inFolder, rootPath, type VirtualPath } from '../path.ts'
import { type Answer, ConnectionLost, type SftpChannel, StatusError } from './channel.ts'
import { ServerAway, type SftpConnection } from './connection.ts'
import { kindOf } from './entries.ts'
import {
  type Attributes,
  attributeFields,
  type Field,
  type NamedAttributes,
  request,
  response,
  status,
  text,
} from './packets.ts'

/** Bytes of a file or the names of a folder, open on the server. It ends with its session. */
export interface Handle {
  readonly id: Uint8Array
  readonly session: Session
}

/** A connection with what was learnt from its server. Handles and requests of one session belong together. */
export interface Session {
  readonly channel: SftpChannel
  /** The root of the mount, without links. */
  readonly base: string
  /** In bytes, of one request. */
  readonly piece: number
  /** Names with a backslash or a colon mean something else there, and are not asked for. */
  readonly isLikeWindows: boolean
  has(extension: Extension): boolean
}

const extensionNames = {
  replacingRename: 'posix-rename@openssh.com',
  link: 'hardlink@openssh.com',
  sync: 'fsync@openssh.com',
  space: 'statvfs@openssh.com',
  copy: 'copy-data',
  limits: 'limits@openssh.com',
  /**
   * Only OpenSSH itself has it: requests are carried out in their order there, a plain rename never replaces a file, and
   * links can be made.
   */
  openssh: 'lsetstat@openssh.com',
} as const

export type Extension = keyof typeof extensionNames

/** What every server takes, and what one that tells its limits is asked for. More in one request is not faster. */
const usualPiece = 32 * 1024
const largePiece = 128 * 1024

/** In milliseconds: to write all of a large file to a disk, or to copy a part of one, takes a while. */
const longPatience = 120_000

/** Sessions over one connection; the server begins in `folder`, or where it wants to where that is empty. */
export function sessions(connection: SftpConnection, folder: string): () => Promise<Session> {
  const known = new WeakMap<SftpChannel, Promise<Session>>()
  return async () => {
    const channel = await connection.channel()
    const session = known.get(channel) ?? begun(channel, folder)
    known.set(channel, session)
    // The folder may be there the next time.
    session.catch(() => known.delete(channel))
    return session
  }
}

async function begun(channel: SftpChannel, folder: string): Promise<Session> {
  const has = (extension: Extension) => channel.extensions.has(extensionNames[extension])
  const piece = has('limits') ? await pieceOf(channel) : usualPiece
  try {
    const base = await realPath(channel, folder === '' ? '.' : folder)
    const session = { channel, base: base === '/' ? '' : base, piece, isLikeWindows: false, has }
    const [root, isLikeWindows] = await Promise.all([lstat(session, rootPath), splitsAtBackslash(session)])
    if (kindOf(root) === 'folder') return { ...session, isLikeWindows }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    if (error.status === status.denied)
      throw new ServerAway(`The user may not open ${JSON.stringify(folder)} on the server`)
  }
  // Not the same as an empty folder: a disk of that server may not be mounted.
  throw new ServerAway(`There is no folder ${JSON.stringify(folder)} on the server`)
}

/** As on Windows, where one name could lead out of its folder. Rights are about names. */
async function splitsAtBackslash(session: Session): Promise<boolean> {
  try {
    return kindOf(await lstat(session, inFolder(rootPath, `${draftPrefix}none\\..`))) === 'folder'
  } catch (error) {
    // A server that takes offence at the name gets no such names.
    if (error instanceof StatusError) return true
    throw error
  }
}

async function realPath(channel: SftpChannel, path: string): Promise<string> {
  return onlyName(await told(channel.ask(request.realpath, [bytesOf(path)])))
}

function onlyName({ type, fields }: Answer): string {
  if (type !== response.name || fields.number() < 1) throw unexpected()
  return textOf(fields.string())
}

async function pieceOf(channel: SftpChannel): Promise<number> {
  const { fields } = await told(channel.ask(request.extended, [text(extensionNames.limits)]))
  const longest = fields.long()
  const [read, write] = [fields.long(), fields.long()]
  // Zero is for "not told".
  const limits = [longest - 1024, read, write].filter((limit) => limit > 0)
  return Math.max(usualPiece, Math.min(largePiece, ...limits))
}

const unexpected = () => new ServerAway('the server answers with something else than was asked for')

/** A lost connection is told as that; a refusal stays a `StatusError`, about which the verbs know more. */
export async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw error instanceof ConnectionLost ? new ServerAway(`The connection was lost: ${error.message}`) : error
  }
}

/** In bytes, as everywhere in Linux. */
const longestName = 255

/** The path on the server, as the bytes of which it is made. */
function remotePath({ base, isLikeWindows }: Session, path: VirtualPath): Uint8Array {
  if (isLikeWindows && /[\\:]/.test(path)) throw new Failure('invalid', 'the server takes no names with \\ or :')
  for (const name of path.split('/'))
    if (name.length > longestName / 4 && bytesOf(name).length > longestName)
      throw new Failure('invalid', 'the name is too long')
  return bytesOf(path === '/' ? base || '/' : `${base}${path}`)
}

const send = (session: Session, type: number, fields: readonly Field[], patience?: number) =>
  told(session.channel.ask(type, fields, patience))

const extended = (session: Session, extension: Extension, fields: readonly Field[], patience?: number) =>
  send(session, request.extended, [text(extensionNames[extension]), ...fields], patience)

export async function lstat(session: Session, path: VirtualPath): Promise<Attributes | undefined> {
  try {
    const { fields } = await send(session, request.lstat, [remotePath(session, path)])
    return fields.attributes()
  } catch (error) {
    if (error instanceof StatusError && error.status === status.noSuchFile) return undefined
    throw error
  }
}

async function handleOf(session: Session, type: number, fields: readonly Field[]): Promise<Handle> {
  const answer = await send(session, type, fields)
  if (answer.type !== response.handle) throw unexpected()
  return { id: answer.fields.string(), session }
}

export const open = (session: Session, path: VirtualPath, flags: number, permissions?: number): Promise<Handle> =>
  handleOf(session, request.open, [remotePath(session, path), flags, ...attributeFields({ permissions })])

export const openFolder = (session: Session, path: VirtualPath): Promise<Handle> =>
  handleOf(session, request.opendir, [remotePath(session, path)])

/** Nothing hangs on its outcome: what was written was acknowledged before. */
export function close({ id, session }: Handle): void {
  send(session, request.close, [id]).catch(() => {})
}

/** Undefined at the end of the file or of the names. */
async function untilEnd<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StatusError && error.status === status.eof) return undefined
    throw error
  }
}

/** May be fewer bytes than were asked for. */
export async function readPiece(
  { id, session }: Handle,
  start: number,
  length: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const answer = await untilEnd(send(session, request.read, [id, BigInt(start), length]))
  return answer?.fields.string()
}

export async function writePiece({ id, session }: Handle, start: number, bytes: Uint8Array): Promise<void> {
  await send(session, request.write, [id, BigInt(start), bytes])
}

export async function readNames({ id, session }: Handle): Promise<NamedAttributes[] | undefined> {
  const answer = await untilEnd(send(session, request.readdir, [id]))
  if (answer === undefined) return undefined
  const { fields } = answer
  return Array.from({ length: fields.number() }, () => {
    const name = fields.string()
    // A line for people to read.
    fields.string()
    return { ...fields.attributes(), name }
  })
}

export async function fstat({ id, session }: Handle): Promise<Attributes> {
  return (await send(session, request.fstat, [id])).fields.attributes()
}

export async function setAttributes({ id, session }: Handle, attributes: Attributes): Promise<void> {
  await send(session, request.fsetstat, [id, ...attributeFields(attributes)])
}

export const setFolderAttributes = (session: Session, folder: VirtualPath, attributes: Attributes): Promise<void> =>
  change(session, request.setstat, [remotePath(session, folder), ...attributeFields(attributes)])

/** Does nothing where the server cannot. */
export async function sync({ id, session }: Handle): Promise<void> {
  if (session.has('sync')) await extended(session, 'sync', [id], longPatience)
}

export async function copyPart(from: Handle, to: Handle, start: number, length: number): Promise<void> {
  const offset = BigInt(start)
  await extended(from.session, 'copy', [from.id, offset, BigInt(length), to.id, offset], longPatience)
}

async function change(session: Session, type: number, fields: readonly Field[]): Promise<void> {
  await send(session, type, fields)
}

export const unlink = (session: Session, path: VirtualPath): Promise<void> =>
  change(session, request.remove, [remotePath(session, path)])

export const removeEmptyFolder = (session: Session, path: VirtualPath): Promise<void> =>
  change(session, request.rmdir, [remotePath(session, path)])

export const makeFolder = (session: Session, path: VirtualPath, permissions: number): Promise<void> =>
  change(session, request.mkdir, [remotePath(session, path), ...attributeFields({ permissions })])

/** To a free name. */
export const rename = (session: Session, from: VirtualPath, to: VirtualPath): Promise<void> =>
  change(session, request.rename, [remotePath(session, from), remotePath(session, to)])

/** Over whatever has the name, in one step. */
export async function renameOver(session: Session, from: VirtualPath, to: VirtualPath): Promise<void> {
  await extended(session, 'replacingRename', [remotePath(session, from), remotePath(session, to)])
}

export async function link(session: Session, from: VirtualPath, to: VirtualPath): Promise<void> {
  await extended(session, 'link', [remotePath(session, from), remotePath(session, to)])
}

export async function readSymlink(session: Session, path: VirtualPath): Promise<string> {
  return onlyName(await send(session, request.readlink, [remotePath(session, path)]))
}

/** Only of OpenSSH it is known which of both paths comes first. */
export const makeSymlink = (session: Session, path: VirtualPath, target: string): Promise<void> =>
  change(session, request.symlink, [bytesOf(target), remotePath(session, path)])

export interface Space {
  readonly total: number
  readonly used: number
  readonly available: number
  readonly isReadOnly: boolean
}

/** Undefined where the server does not tell. */
export async function spaceAt(session: Session, path: VirtualPath): Promise<Space | undefined> {
  if (!session.has('space')) return undefined
  const { fields } = await extended(session, 'space', [remotePath(session, path)])
  fields.long()
  const block = fields.long()
  const [blocks, free, available] = [fields.long(), fields.long(), fields.long()]
  for (let skipped = 0; skipped < 4; skipped += 1) fields.long()
  const isReadOnly = fields.long() % 2 === 1
  return { total: blocks * block, used: (blocks - free) * block, available: available * block, isReadOnly }
}
