import type { StorageKind } from '@filestead/contract'

/** Where the files of a root folder are, as the form holds it. What was typed for another kind of storage stays until it is saved. */
export interface StorageFields {
  kind: StorageKind
  /** A full path of the server. */
  disk: string
  s3: BucketFields
  sftp: SftpFields
}

export interface BucketFields {
  /** 'https://host:port'; empty for the service of Amazon. */
  server: string
  bucket: string
  prefix: string
  region: string
  keys: string
  /** Is the bucket a part of the path of addresses, or of the name of the host? Undefined for what is usual. */
  style: BucketStyle | undefined
  /** 'no', 'yes', or the number of bytes from which on clients download from the bucket itself. */
  direct: string
}

export type BucketStyle = 'path' | 'host'

export interface SftpFields {
  host: string
  port: string
  user: string
  /** Empty for the folder that the server begins in. */
  folder: string
  keys: string
  hostKey: string
}

const noBucket: BucketFields = {
  ...{ server: '', bucket: '', prefix: '', region: '', keys: '' },
  ...{ style: undefined, direct: 'no' },
}

const noServer: SftpFields = { host: '', port: '', user: '', folder: '', keys: '', hostKey: '' }

export const usualStyle = ({ server }: BucketFields): BucketStyle => (server.trim() === '' ? 'host' : 'path')

/** Takes apart what `addressOf` has put together. */
export function storageFieldsOf(address: string): StorageFields {
  const none: StorageFields = { kind: 'disk', disk: '', s3: noBucket, sftp: noServer }
  // Not `URL`: of schemes that it does not know, browsers in use find no host.
  const [, scheme = '', user = '', host = '', port = '', path = '', query = ''] =
    /^(s3|s3\+https?|sftp):\/\/(?:([^@/?]*)@)?(\[[^\]]*\]|[^:/?]*)(?::(\d*))?([^?]*)(?:\?(.*))?$/i.exec(address) ?? []
  if (scheme === '') return { ...none, disk: address }
  const names = path.split('/').filter(Boolean).map(decoded)
  const option = optionsIn(query)
  if (scheme === 'sftp') {
    const folder = path === '' ? '' : `/${names.join('/')}`
    const [keys, hostKey] = [option('keys'), option('hostKey')]
    return { ...none, kind: 'sftp', sftp: { host, port, user: decoded(user), folder, keys, hostKey } }
  }
  const [, transport] = scheme.split('+')
  const [bucket = '', ...prefix] = transport === undefined ? [host, ...names] : names
  const style = option('style')
  const s3: BucketFields = {
    server: transport === undefined ? '' : `${transport}://${host}${port && `:${port}`}`,
    ...{ bucket, prefix: prefix.join('/'), region: option('region'), keys: option('keys') },
    style: style === 'path' || style === 'host' ? style : undefined,
    direct: option('direct') || 'no',
  }
  return { ...none, kind: 's3', s3 }
}

/** The one text that the server stores. It holds no secrets: keys are named. */
export function addressOf({ kind, disk, s3, sftp }: StorageFields): string {
  if (kind === 'disk') return disk.trim()
  return kind === 's3' ? bucketAddress(s3) : sftpAddress(sftp)
}

function bucketAddress(fields: BucketFields): string {
  const { scheme, host } = serverIn(fields.server)
  const path = encodedPath(fields.prefix)
  const bucket = encodeURIComponent(fields.bucket.trim())
  const query = queryOf({
    region: fields.region.trim(),
    keys: fields.keys.trim(),
    style: fields.style === usualStyle(fields) ? '' : (fields.style ?? ''),
    direct: fields.direct === 'no' ? '' : fields.direct,
  })
  const place = host === '' ? `s3://${bucket}` : `s3+${scheme}://${host}/${bucket}`
  return `${place}${path}${query}`
}

/** An address that was typed without a scheme is one of https. */
function serverIn(text: string): { scheme: string; host: string } {
  const [, scheme = 'https', host = ''] = /^(?:(https?):\/\/)?(.*?)\/*$/i.exec(text.trim()) ?? []
  return { scheme: scheme.toLowerCase(), host }
}

function sftpAddress({ host, port, user, folder, keys, hostKey }: SftpFields): string {
  // Without the slash it is the folder that the server begins in.
  const path = folder.trim() === '' ? '' : encodedPath(folder) || '/'
  const server = `${bracketed(host.trim())}${port.trim() && `:${port.trim()}`}`
  return `sftp://${encodeURIComponent(user.trim())}@${server}${path}${queryOf({ keys: keys.trim(), hostKey: hostKey.trim() })}`
}

/** The numbers of IPv6 hold colons, and so does an address before its port. */
const bracketed = (host: string): string => (/^[^[].*:.*:/.test(host) ? `[${host}]` : host)

/** With a slash before each name; empty for no names. */
const encodedPath = (path: string): string =>
  path
    .trim()
    .split('/')
    .filter(Boolean)
    .map((name) => `/${encodeURIComponent(name)}`)
    .join('')

/** Colons, slashes and plus signs stay as they are: fingerprints are read by people. */
function queryOf(options: Record<string, string>): string {
  const parts = Object.entries(options)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll(/%3A|%2F|%2B/g, decodeURIComponent)}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** A plus sign is one, as in host keys. */
function optionsIn(query: string): (name: string) => string {
  const options = new URLSearchParams(query.replaceAll('+', '%2B'))
  return (name) => options.get(name) ?? ''
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export type StorageField =
  | 'disk'
  | 'server'
  | 'region'
  | 'bucket'
  | 'prefix'
  | 'host'
  | 'port'
  | 'user'
  | 'folder'
  | 'hostKey'
  | 'keys'

export type StorageProblem =
  | 'emptyFolder'
  | 'badServer'
  | 'emptyBucket'
  | 'badBucket'
  | 'badPrefix'
  | 'badHost'
  | 'badPort'
  | 'emptyUser'
  | 'badPath'
  | 'badHostKey'
  | 'badKeys'

export type StorageProblems = Partial<Record<StorageField, StorageProblem>>

const host = /^(\[[0-9a-f:.]+\]|[^\s/:@?#[\]]+)$/i

/** What the server would refuse, said before it has to. */
export function checkStorage({ kind, disk, s3, sftp }: StorageFields): StorageProblems {
  if (kind === 'disk') return disk.trim() === '' ? { disk: 'emptyFolder' } : {}
  return kind === 's3' ? checkBucket(s3) : checkSftp(sftp)
}

function checkBucket({ server, bucket, prefix, keys }: BucketFields): StorageProblems {
  const place = serverIn(server)
  const isServer = server.trim() === '' || host.test(place.host.replace(/:\d+$/, ''))
  return {
    ...(!isServer && { server: 'badServer' }),
    ...(/[/\s]/.test(bucket.trim()) && { bucket: 'badBucket' }),
    ...(bucket.trim() === '' && { bucket: 'emptyBucket' }),
    ...(hasDots(prefix) && { prefix: 'badPrefix' }),
    ...(!isKeysName(keys) && { keys: 'badKeys' }),
  }
}

function checkSftp({ host: server, port, user, folder, hostKey, keys }: SftpFields): StorageProblems {
  const isPort = port.trim() === '' || (/^\d+$/.test(port.trim()) && Number(port) > 0 && Number(port) < 65_536)
  const isPath = folder.trim() === '' || (folder.trim().startsWith('/') && !hasDots(folder))
  const isKey = hostKey.trim() === '' || /^SHA256:[A-Za-z0-9+/]{43}$/.test(hostKey.trim())
  return {
    ...(!host.test(bracketed(server.trim())) && { host: 'badHost' }),
    ...(!isPort && { port: 'badPort' }),
    ...(user.trim() === '' && { user: 'emptyUser' }),
    ...(!isPath && { folder: 'badPath' }),
    ...(!isKey && { hostKey: 'badHostKey' }),
    ...(!isKeysName(keys) && { keys: 'badKeys' }),
  }
}

/** A name, and no path: files of the server are not chosen here. */
const isKeysName = (keys: string): boolean => /^([A-Za-z0-9][\w-]{0,63})?$/.test(keys.trim())

/** Names that lead elsewhere. */
const hasDots = (path: string): boolean => path.split('/').some((name) => /^\s*\.\.?\s*$/.test(name))

/** What a storage would be called by itself: its last folder, or its bucket or server. */
export function suggestedName(fields: StorageFields): string {
  const { kind, disk, s3, sftp } = fields
  if (kind === 'disk') return lastName(disk)
  return kind === 's3' ? lastName(s3.prefix) || s3.bucket.trim() : lastName(sftp.folder) || sftp.host.trim()
}

const lastName = (path: string): string => path.trim().split('/').filter(Boolean).at(-1) ?? ''

/** An address as a list shows it: without its options. */
export const placeOf = (address: string): string =>
  storageFieldsOf(address).kind === 'disk' ? address : address.replace(/\?.*$/, '')
