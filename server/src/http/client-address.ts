import { BlockList, isIP } from 'node:net'
import { Failure } from '../failure.ts'

/** The client of a request, by the socket or by the headers of a trusted proxy. */
export interface Client {
  address: string
  isSecure: boolean
  isFromTrustedProxy: boolean
  /** There is a forwarding header, and its sender is not trusted. */
  isClaimIgnored: boolean
  /** Many clients may have this address: that of an untrusted proxy, of one that names no client, or a unix socket. */
  isShared: boolean
  /** The address in an untrusted forwarding header, which any client can write. Empty where there is none. */
  claimed: string
}

/** In --trustedProxies: the peer of a unix socket, which has no address. */
const unixPeer = 'unix'

export const isForwarded = (headers: Headers): boolean =>
  headers.get('x-forwarded-for') !== null || headers.get('x-real-ip') !== null

/**
 * Reads forwarding headers, but only those of a trusted proxy. The peer of a unix socket is trusted as soon as the list
 * is not empty: it is the only program that the list can mean.
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
 * The last address of the chain that is no trusted proxy; the client may have forged those before it. Undefined where a
 * proxy wrote a word such as "unknown" instead of an address.
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

/** The address in '203.0.113.9:4711', '[2001:db8::9]:4711' or '[2001:db8::9]'. */
function addressIn(text: string): string | undefined {
  const [, inBrackets, withPort] = /^(?:\[([^\]]*)\](?::\d*)?|([\d.]+):\d*)$/.exec(text.trim()) ?? []
  // The zone of a link-local address names an interface of this machine.
  const bare = (inBrackets ?? withPort ?? text.trim()).replace(/%.*$/, '')
  // IPv4 addresses are mapped on an IPv6 socket.
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(address) === 0 ? undefined : address
}

function listOf(text: string): { addresses: BlockList; isEmpty: boolean } {
  const addresses = new BlockList()
  const parts = text.split(/[\s,]+/).filter(Boolean)
  for (const part of parts.filter((part) => part !== unixPeer)) {
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

/** Whether a list of trusted proxies holds every address, so that any client can claim any other. */
export const trustsEverybody = (list: string): boolean => /(^|[\s,])(0\.0\.0\.0|::)\/0/.test(list)
