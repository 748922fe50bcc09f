import { Failure } from '../failure.ts'

/** Where the files of a mount are: a full path of this machine, or a server elsewhere. It is one text, `MountFacts.folder`. */
export type Address = DiskAddress | S3Address | SftpAddress

export interface DiskAddress {
  readonly kind: 'disk'
  readonly folder: string
}

/** `s3+https://host/bucket/prefix?…`, or `s3://bucket/prefix?region=…` for the service of Amazon. */
export interface S3Address {
  readonly kind: 's3'
  /** 'https://host:port' without a path. */
  readonly endpoint: string
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  readonly region: string
  /** Is the bucket a part of the path, and not of the name of the host? */
  readonly isPathStyle: boolean
  /** Where its keys are: see mounts/keys.ts. Empty for those of the environment. */
  readonly keys: string
  /** Downloads of so many bytes are left to the server itself, by an address that holds for minutes. 0 for none. */
  readonly direct: number
}

/** `sftp://user@host:port/folder?hostKey=SHA256:…` */
export interface SftpAddress {
  readonly kind: 'sftp'
  readonly host: string
  readonly port: number
  readonly user: string
  /** '/…', or '' for the folder that the server begins in. */
  readonly folder: string
  /** As `ssh-keygen -l` writes it; empty until an administrator has confirmed it. */
  readonly hostKey: string
  readonly keys: string
}

export const isDiskAddress = (folder: string): boolean => !/^[a-z][a-z0-9+.-]*:\/\//i.test(folder)

/** By its beginning alone: also of one that cannot be understood. */
export const kindAt = (folder: string): Address['kind'] =>
  isDiskAddress(folder) ? 'disk' : /^sftp:/i.test(folder) ? 'sftp' : 's3'

/** Refuses, with a sentence, what cannot be understood. Secrets do not belong here: a mount is shown and logged. */
export function parseAddress(text: string): Address {
  if (isDiskAddress(text)) return { kind: 'disk', folder: text }
  const url = URL.parse(text)
  // Not shown: what cannot be understood may hold a password.
  if (url === null)
    throw new Failure(
      'invalid',
      'this is no address; there are s3+https://host/bucket, s3://bucket and sftp://user@host/folder',
    )
  if (url.password !== '')
    throw new Failure('invalid', 'a password does not belong into the address of a root folder; name its keys instead')
  if (url.hash !== '') throw new Failure('invalid', 'an address has no part behind #; write %23 for it')
  const read = reader(url)
  const address = url.protocol === 'sftp:' ? sftpIn(url, read, namesFolder(text)) : s3In(url, read)
  read.requireAll()
  return address
}

/** As it may be logged: only what is understood is known to hold no secret. */
export function loggedAddress(text: string): string | undefined {
  try {
    parseAddress(text)
    return text
  } catch {
    return undefined
  }
}

function s3In(url: URL, read: Reader): S3Address {
  const [, transport] = /^s3(?:\+(https?))?:$/.exec(url.protocol) ?? []
  if (!url.protocol.startsWith('s3'))
    throw new Failure('invalid', 'an address begins with /, s3://, s3+https://, s3+http:// or sftp://')
  if (url.username !== '') throw new Failure('invalid', 'keys do not belong into the address; name them by ?keys=')
  const names = url.pathname.split('/').filter(Boolean).map(decoded)
  const region = read.text('region', 'us-east-1')
  const [bucket = '', ...prefix] = transport === undefined ? [url.hostname, ...names] : names
  if (bucket === '') throw new Failure('invalid', 'the address names no bucket: s3+https://host/bucket')
  requireLiteral(prefix)
  const direct = read.text('direct', 'no')
  return {
    kind: 's3',
    endpoint: transport === undefined ? `https://s3.${region}.amazonaws.com` : `${transport}://${url.host}`,
    bucket,
    prefix: prefix.join('/'),
    region,
    isPathStyle: read.text('style', transport === undefined ? 'host' : 'path', ['host', 'path']) === 'path',
    keys: read.text('keys', ''),
    direct: direct === 'no' ? 0 : direct === 'yes' ? usualDirect : bytesIn(direct),
  }
}

/** In bytes: smaller downloads are not worth a second request. */
const usualDirect = 8 * 1_048_576

function bytesIn(text: string): number {
  const bytes = Number(text)
  if (!Number.isSafeInteger(bytes) || bytes < 1)
    throw new Failure('invalid', 'direct must be yes, no or a number of bytes')
  return bytes
}

/** The runtime makes '/' of a missing path in front of a query. */
const namesFolder = (text: string): boolean => /^[^:]+:\/\/[^/?#]+\//.test(text)

function sftpIn(url: URL, read: Reader, hasFolder: boolean): SftpAddress {
  if (url.hostname === '') throw new Failure('invalid', 'the address names no server: sftp://user@host/folder')
  if (url.username === '') throw new Failure('invalid', 'the address names no user: sftp://user@host/folder')
  const names = url.pathname.split('/').filter(Boolean).map(decoded)
  requireLiteral(names)
  return {
    kind: 'sftp',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 22 : Number(url.port),
    user: decoded(url.username),
    folder: hasFolder ? `/${names.join('/')}` : '',
    hostKey: read.text('hostKey', ''),
    keys: read.text('keys', ''),
  }
}

/** As an address names it, so that two of the same place can be compared. */
export function placeOf(address: Address): string {
  if (address.kind === 'disk') return address.folder
  if (address.kind === 'sftp') return `sftp://${address.user}@${address.host}:${address.port}${address.folder}`
  return `${address.endpoint}/${address.bucket}/${address.prefix}`
}

/** Of a file below it, without what says how it is reached: for people and programs who want to know which one it is. */
export function addressBelow(folder: string, path: string): string {
  const url = new URL(folder)
  url.search = ''
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path.split('/').map(encodeURIComponent).join('/')}`
  return url.href
}

interface Reader {
  text(name: string, usual: string, among?: readonly string[]): string
  requireAll(): void
}

function reader(url: URL): Reader {
  const known = new Set<string>()
  return {
    text(name, usual, among) {
      known.add(name)
      // A plus sign is one, as in host keys.
      const value = new URLSearchParams(url.search.replaceAll('+', '%2B')).get(name) ?? usual
      if (among !== undefined && !among.includes(value))
        throw new Failure('invalid', `${name} must be ${among.join(' or ')}`)
      return value
    },
    requireAll() {
      for (const name of url.searchParams.keys())
        if (!known.has(name))
          throw new Failure('invalid', `?${name}= means nothing here; there are ${[...known].join(', ')}`)
    },
  }
}

function requireLiteral(names: readonly string[]): void {
  if (names.some((name) => name.includes('/')))
    throw new Failure('invalid', 'a name in the path of an address holds no slash (%2F)')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Failure('invalid', `${JSON.stringify(part)} is no part of an address; write %25 for a percent sign`)
  }
}
