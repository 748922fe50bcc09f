import { BlockList, isIP } from 'node:net'
import { Failure } from '../failure.ts'

/** The client of a request, as the socket or a trusted proxy tells. */
export interface Client {
  address: string
  isSecure: boolean
  isFromTrustedProxy: boolean
  /** A forwarding header came from an address that is not trusted. */
  isClaimIgnored: boolean
  /** Many people may come from this address: a proxy that is not trusted, one that names no client, or a socket. */
  isShared: boolean
  /** The address that such a proxy names, which any client can write. Empty where there is none. */
  claimed: string
}

/** The word for the other end of a unix socket, which has no address. */
const socketWord = 'unix'

export const isForwarded = (headers: Headers): boolean =>
  headers.get('x-forwarded-for') !== null || headers.get('x-real-ip') !== null

/**
 * Reads forwarding headers, but only those that a listed proxy wrote. On a unix socket there is nobody else whom a list
 * could mean than the program at its other end.
 */
export function clientReader(
  trustedProxies: string,
  { isUnix = false } = {},
): (peer: string, headers: Headers) => Client {
  const { addresses: trusted, isEmpty } = listOf(trustedProxies)
  const isTrusted = (address: string): boolean => {
    const family = trusted.rules.length === 0 ? 0 : isIP(address)
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
  return (peer, headers) => {
    const address = isUnix ? '' : (addressIn(peer) ?? peer)
    const forwarded = headers.get('x-forwarded-for')
    const real = headers.get('x-real-ip')
    const chain = (forwarded ?? real ?? '').split(',')
    if (isUnix ? isEmpty : !isTrusted(address)) {
      const isClaimed = forwarded !== null || real !== null
      return {
        address,
        isSecure: false,
        isFromTrustedProxy: false,
        isClaimIgnored: isClaimed,
        isShared: isUnix || isClaimed,
        claimed: addressIn(chain.at(-1) ?? '') ?? '',
      }
    }
    const client = clientIn(chain, isTrusted)
    return {
      address: client ?? address,
      isSecure: headers.get('x-forwarded-proto') === 'https',
      isFromTrustedProxy: true,
      isClaimIgnored: false,
      isShared: client === undefined,
      claimed: '',
    }
  }
}

/**
 * The last address that no proxy of ours wrote is the client; what stands before it, the client may have made up. A proxy
 * that does not know the address writes a word instead, and then it is unknown.
 */
function clientIn(chain: readonly string[], isTrusted: (address: string) => boolean): string | undefined {
  let client: string | undefined
  for (const part of chain.toReversed()) {
    const address = addressIn(part)
    if (address === undefined) return undefined
    client = address
    if (!isTrusted(address)) break
  }
  return client
}

/** '203.0.113.9:4711', '[2001:db8::9]:4711' and '[2001:db8::9]' have an address in them; undefined where there is none. */
function addressIn(text: string): string | undefined {
  const [, inBrackets, withPort] = /^(?:\[([^\]]*)\](?::\d*)?|([\d.]+):\d*)$/.exec(text.trim()) ?? []
  // The zone of a link-local address is a name on this machine, and no part of the address.
  const bare = (inBrackets ?? withPort ?? text.trim()).replace(/%.*$/, '')
  // An IPv4 address that came through an IPv6 socket is the same address.
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(address) === 0 ? undefined : address
}

function listOf(text: string): { addresses: BlockList; isEmpty: boolean } {
  const addresses = new BlockList()
  const parts = text.split(/[\s,]+/).filter(Boolean)
  for (const part of parts.filter((part) => part !== socketWord)) {
    const [address = '', bits] = part.split('/')
    const family = isIP(address)
    const isRange = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
    if (family === 0 || !isRange)
      throw new Failure('invalid', `--trustedProxies: ${JSON.stringify(part)} is no address or range`)
    const kind = family === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) addresses.addAddress(address, kind)
    else addresses.addSubnet(address, Number(bits), kind)
  }
  return { addresses, isEmpty: parts.length === 0 }
}
