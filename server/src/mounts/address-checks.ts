import { Failure } from '../failure.ts'
import { type Address, parseAddress } from '../storage/address.ts'
import type { KnownMount } from './checks.ts'
import { type KeySources, refusalOfKeys, requireOwnHosts } from './keys.ts'

/** What an address may be. */
export interface AddressRules {
  /** May administrators choose one on the page? */
  readonly isOnPage: boolean
  readonly keys: KeySources
}

/** An address that can be a mount beside these; a `Failure` says why it cannot. Its server is not asked. */
export async function requireAddress(
  text: string,
  mounts: readonly KnownMount[],
  { isOnPage, keys }: AddressRules,
  { isBounded }: { isBounded: boolean },
): Promise<string> {
  if (isBounded && !isOnPage)
    throw new Failure('invalid', 'buckets and other servers cannot be chosen here (option --remoteMounts)')
  const address = parseAddress(text.trim())
  const refusal = refusalOfKeys(address, { isBounded }) ?? refusalOfAddress(text.trim(), mounts)
  if (refusal !== undefined) throw new Failure('invalid', refusal)
  if (isBounded) await requireOwnHosts(address, keys)
  return text.trim()
}

/** Why an address cannot be a mount beside these, in a sentence; undefined where it can. */
export function refusalOfAddress(folder: string, mounts: readonly KnownMount[]): string | undefined {
  const wanted = segmentsOf(parseAddress(folder))
  for (const mount of mounts) {
    const other = segmentsOf(addressIn(mount))
    if (other.length === 0) continue
    const name = JSON.stringify(mount.name)
    const [isIn, holds] = [isBelow(wanted, other), isBelow(other, wanted)]
    if (isIn && holds) return `the root folder ${name} is this place already`
    if (isIn) return `the place lies in the root folder ${name}`
    if (holds) return `the place holds the root folder ${name}`
  }
  return undefined
}

/** From the server down to the folder. A full path is the same folder for every account of that server. */
function segmentsOf(address: Address | undefined): readonly string[] {
  if (address === undefined || address.kind === 'disk') return []
  if (address.kind === 's3') return [address.endpoint, address.bucket, ...address.prefix.split('/').filter(Boolean)]
  const { host, port, user } = address
  const server = `${host.toLowerCase()}:${port}`
  return address.folder === '' ? [server, `~${user}`] : [server, '/', ...address.folder.split('/').filter(Boolean)]
}

/** Undefined where it cannot be understood, so that it is not served either. */
function addressIn({ folder }: KnownMount): Address | undefined {
  try {
    return parseAddress(folder)
  } catch {
    return undefined
  }
}

const isBelow = (one: readonly string[], two: readonly string[]): boolean =>
  two.every((segment, at) => one[at] === segment)
