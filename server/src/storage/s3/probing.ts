import { lookup } from 'node:dns/promises'
import { Failure } from '../../failure.ts'
import { rootPath } from '../path.ts'
import type { Client, S3Place } from './client.ts'
import { type Conditions, noConditions } from './conditions.ts'
import type { Names } from './names.ts'
import { type Headers, type Objects, sourceOf } from './objects.ts'
import { isRefusal, S3Refusal } from './refusal.ts'

export interface ProbingParts {
  readonly client: Client
  readonly objects: Objects
  readonly names: Names
  readonly place: S3Place
}

const probe = new TextEncoder().encode('probe')

/** Tries to list and, unless it is only read, to write and to remove. A sentence for administrators where that fails. */
export async function problemOf(parts: ProbingParts, isReadOnly: boolean): Promise<string | undefined> {
  const { objects, names } = parts
  try {
    await objects.page(names.prefixOf(rootPath), { most: 1 })
  } catch (error) {
    return sentenceOf(parts, error, 'listed')
  }
  if (isReadOnly) return undefined
  const key = names.hiddenKey('probe', crypto.randomUUID())
  try {
    await objects.put(key, probe, {})
    await objects.get(key, 0, probe.length)
    await objects.remove(key)
    return undefined
  } catch (error) {
    return sentenceOf(parts, error, 'written to')
  }
}

async function sentenceOf({ client, place }: ProbingParts, error: unknown, verb: string): Promise<string> {
  if (!(error instanceof S3Refusal))
    return error instanceof Failure ? error.message : 'The object storage cannot be asked'
  const { bucket, region, endpoint } = place
  if (error.region !== undefined && error.region !== region)
    return `The bucket ${bucket} is in the region ${error.region}, not in ${region}: write ?region=${error.region}`
  const known = sentences[error.word]
  if (known !== undefined) return known(bucket)
  if (error.status === 403) return `The keys do not allow that the bucket ${bucket} is ${verb}`
  if (error.status === 404) return sentences.NoSuchBucket?.(bucket) ?? ''
  if (error.status !== 0) return `The server at ${client.host} answered with "${error.word}"; is it an S3 server?`
  return unreachable(new URL(endpoint), client.host, error.cause)
}

const sentences: Readonly<Record<string, (bucket: string) => string>> = {
  InvalidAccessKeyId: () => 'The server does not know the access key: check the id of the keys',
  InvalidAccessKey: () => 'The server does not know the access key: check the id of the keys',
  SignatureDoesNotMatch: () => 'The secret key does not belong to the access key',
  ExpiredToken: () => 'The session token of the keys has expired',
  InvalidToken: () => 'The session token of the keys is not valid',
  NoSuchBucket: (bucket) => `There is no bucket ${bucket} on this server`,
  RequestTimeTooSkewed: () => 'The clocks of this server and of the object storage differ by more than a few minutes',
}

async function unreachable({ hostname, protocol }: URL, host: string, cause: unknown): Promise<string> {
  const { code = '', message = '' } = (cause ?? {}) as { code?: string; message?: string }
  if (code === 'EPROTO')
    return `The server at ${host} does not speak TLS: an address that begins with s3+http:// does without`
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE|TLS|SSL/i.test(`${code} ${message}`))
    return `The certificate of ${host} is not trusted (${code || 'TLS'})`
  const name = host.replace(/:\d+$/, '')
  const isFound = await lookup(name.replace(/^\[|\]$/g, '')).then(
    () => true,
    () => false,
  )
  if (!isFound)
    return `There is no server named ${name}${name === hostname ? '' : ' (a server of your own may need ?style=path)'}`
  if (/in time|timeout/i.test(message)) return `The server at ${host} does not answer`
  return `No connection to ${host} by ${protocol.slice(0, -1)}: is it running, and is the port right?`
}

/** In milliseconds: an older object of a probe is one of a process that died. */
const longestProbe = 3_600_000

/** Finds out by trying which calls heed conditions: a server that does not know them overwrites without a word. */
export async function probeConditions({ objects, names, place }: ProbingParts): Promise<Conditions> {
  const { objects: left } = await objects.page(names.hiddenKey('probe', ''), { isFlat: true })
  await objects.removeAll(left.filter(({ stored }) => stored < Date.now() - longestProbe).map((object) => object.key))
  const key = names.hiddenKey('probe', crypto.randomUUID())
  const absent: Headers = { 'if-none-match': '*' }
  const other: Headers = { 'if-match': '"00000000000000000000000000000000"' }
  try {
    await objects.put(key, probe, absent)
  } catch (error) {
    // Not even a first one: the server takes the header for a mistake.
    if (isRefusal(error, 400, 501)) return noConditions
    throw error
  }
  const refuses = async (work: (headers: Headers) => Promise<unknown>) =>
    (await isRefused(() => work(absent))) && (await isRefused(() => work(other)))
  try {
    const put = await refuses((headers) => objects.put(key, probe, headers))
    const complete = await refuses((headers) => completed(objects, key, headers))
    const source = sourceOf(place.bucket, key)
    const copy = await refuses((headers) =>
      objects.copy(source, key, { ...headers, 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-probe': '1' }),
    )
    const remove = await isRefused(() => objects.remove(key, other))
    return { put, complete, copy, remove }
  } finally {
    await objects.remove(key)
  }
}

async function completed(objects: Objects, key: string, headers: Headers): Promise<void> {
  const upload = await objects.createUpload(key, {})
  try {
    const etag = await objects.putPart({ key, upload, number: 1 }, probe)
    await objects.complete(key, upload, [etag], headers)
  } finally {
    await objects.abort(key, upload)
  }
}

async function isRefused(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return false
  } catch (error) {
    if (isRefusal(error, 412)) return true
    if (isRefusal(error, 400, 501)) return false
    throw error
  }
}

/** What cannot be promised then, in sentences for administrators. */
export function weaknessesOf({ put, complete, copy, remove }: Conditions): string[] {
  return [
    ...(put && complete
      ? []
      : [
          'The server cannot refuse to replace a file: when another program writes the same name in the same moment, the last one wins.',
        ]),
    ...(copy
      ? []
      : [
          'Copies look at their target just before, not in the same step: a file that another program stores there in that moment is replaced.',
        ]),
    ...(remove
      ? []
      : [
          'Removals look at the file just before, not in the same step: what another program stores in that moment is removed.',
        ]),
    'Folders are renamed and moved file by file.',
  ]
}
