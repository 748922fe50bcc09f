import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { Failure } from '../failure.ts'
import type { Address, S3Address, SftpAddress } from '../storage/address.ts'
import { toFailure } from '../storage/linux/errno.ts'

/** What signs the requests to a bucket. */
export interface BucketKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** What proves to another server who signs in. */
export interface LoginKeys {
  readonly password?: string | undefined
  readonly privateKey?: string | undefined
  readonly passphrase?: string | undefined
}

/**
 * The keys that addresses name. Read afresh each time, so that they can be exchanged while the server runs; what cannot be
 * used is a `Failure` whose sentence names the place and never the content.
 */
export interface Keys {
  ofBucket(address: S3Address): Promise<BucketKeys>
  ofLogin(address: SftpAddress): Promise<LoginKeys>
}

export interface KeySources {
  /** Where files with keys are, each called as `?keys=` names it. */
  readonly folder: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

export function keysIn(sources: KeySources): Keys {
  return {
    async ofBucket(address) {
      const { keys: name } = address
      const found = name === '' ? fromAws(sources.variables) : await factsOf(name, sources)
      requireHost(found, new URL(address.endpoint).hostname, name)
      const { ACCESS_KEY_ID: accessKeyId, SECRET_ACCESS_KEY: secretAccessKey, SESSION_TOKEN: sessionToken } = found
      if (!accessKeyId || !secretAccessKey)
        throw missing(name, sources, ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'], 'AWS_ACCESS_KEY_ID')
      return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
    },
    async ofLogin({ keys: name, host }) {
      const found = name === '' ? {} : await factsOf(name, sources)
      requireHost(found, host, name)
      const { PASSWORD: password, PRIVATE_KEY: privateKey, PASSPHRASE: passphrase } = found
      if (!password && !privateKey) throw missing(name, sources, ['PRIVATE_KEY', 'PASSWORD'], '?keys=')
      return { password, privateKey, passphrase }
    },
  }
}

type Facts = Readonly<Partial<Record<string, string>>>

/** A file of a full path is only named on the command line: a page must not read files of the server. */
export function refusalOfKeys(address: Address, { isBounded }: { isBounded: boolean }): string | undefined {
  if (address.kind === 'disk' || address.keys === '') return undefined
  if (!isAbsolute(address.keys))
    return isName(address.keys) ? undefined : 'the name of keys is made of letters, digits, - and _'
  return isBounded ? 'keys are chosen by their name here, and not by a path' : undefined
}

/**
 * A password would be told to any server that an address names. One that was chosen on the page gets it only where the keys
 * name it as theirs.
 */
export async function requireOwnHosts(address: Address, sources: KeySources): Promise<void> {
  if (address.kind !== 'sftp' || address.keys === '') return
  const { PASSWORD: password, HOSTS: hosts = '' } = await factsOf(address.keys, sources)
  if (password && hosts === '')
    throw new Failure(
      'invalid',
      `the keys ${JSON.stringify(address.keys)} have a password and do not say for which servers: add the line HOSTS=${address.host} to them`,
    )
}

const isName = (name: string): boolean => /^[A-Za-z0-9][\w-]{0,63}$/.test(name)

/** Variables win over a file, as they do for options. */
async function factsOf(name: string, { folder, variables }: KeySources): Promise<Facts> {
  if (isAbsolute(name)) return parsedKeys(await textOf(name))
  if (!isName(name)) throw new Failure('invalid', 'the name of keys is made of letters, digits, - and _')
  const prefix = variablesFor(name)
  const found = Object.entries(variables).filter(([variable, value]) => variable.startsWith(prefix) && value)
  if (found.length > 0)
    return Object.fromEntries(found.map(([variable, value]) => [variable.slice(prefix.length), value]))
  return parsedKeys(await textOf(join(folder, name)))
}

const variablesFor = (name: string): string => `FILESTEAD_KEYS_${name.replaceAll('-', '_').toUpperCase()}_`

const fromAws = (variables: KeySources['variables']): Facts => ({
  ACCESS_KEY_ID: variables.AWS_ACCESS_KEY_ID,
  SECRET_ACCESS_KEY: variables.AWS_SECRET_ACCESS_KEY,
  SESSION_TOKEN: variables.AWS_SESSION_TOKEN,
})

/**
 * Lines such as ACCESS_KEY_ID=…, also as `aws configure` writes them; or a private key, which reaches from its first line to
 * the end of the file.
 */
export function parsedKeys(text: string): Facts {
  const start = text.search(/^-----BEGIN /m)
  const [lines, privateKey] = start < 0 ? [text, undefined] : [text.slice(0, start), text.slice(start)]
  const facts = lines.split('\n').flatMap((line): [string, string][] => {
    const [, key, value] = /^\s*(?:aws_)?(\w+)\s*=\s*(.*?)\s*$/i.exec(line) ?? []
    return key === undefined || value === undefined ? [] : [[key.toUpperCase(), value]]
  })
  return { ...Object.fromEntries(facts), ...(privateKey !== undefined && { PRIVATE_KEY: privateKey }) }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const failure = toFailure(error)
    const why = failure instanceof Failure ? `: ${failure.message.replace(/^./, (first) => first.toLowerCase())}` : ''
    throw new Failure('invalid', `The keys in ${file} cannot be read${why}`)
  }
}

function requireHost({ HOSTS: hosts = '' }: Facts, host: string, name: string): void {
  const known = hosts.split(/[\s,]+/).filter(Boolean)
  if (known.length > 0 && !known.some((one) => one.toLowerCase() === host.toLowerCase()))
    throw new Failure('invalid', `The keys ${JSON.stringify(name)} are for other servers than ${host} (HOSTS)`)
}

function missing(name: string, { folder }: KeySources, wanted: readonly string[], usual: string): Failure {
  if (name === '') return new Failure('invalid', `There are no keys: set ${usual}, or name some by ?keys=`)
  const place = isAbsolute(name) ? name : `${join(folder, name)} or ${variablesFor(name)}…`
  return new Failure('invalid', `${place} must have ${wanted.join(name === '' ? ' and ' : ', ')}`)
}
