import { BlockList, isIP } from 'node:net'
import { Failure } from '../failure.ts'

/** Who is at the other end, as far as somebody we trust told us. */
export interface Client {
  address: string
  isSecure: boolean
  isFromTrustedProxy: boolean
  /** A header claimed something, and came from nobody we trust. */
  isClaimIgnored: boolean
}

export const isForwarded = (headers: Headers): boolean =>
  headers.get('x-forwarded-for') !== null || headers.get('x-real-ip') !== null

/** Reads forwarding headers, but only those that a listed proxy wrote. */
export function clientReader(trustedProxies: string): (peer: string, headers: Headers) => Client {
  const trusted = listOf(trustedProxies)
  const isTrusted = (address: string): boolean => {
    const family = trusted.rules.length === 0 ? 0 : isIP(address)
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
  return (peer, headers) => {
    const address = plain(peer)
    const forwarded = headers.get('x-forwarded-for')
    const real = headers.get('x-real-ip')
    if (!isTrusted(address))
      return {
        address,
        isSecure: false,
        isFromTrustedProxy: false,
        isClaimIgnored: forwarded !== null || real !== null,
      }
    // The last address that no proxy of ours wrote is the client; what stands before it, the client may have made up.
    const chain = (forwarded ?? real ?? '')
      .split(',')
      .map((part) => plain(part.trim()))
      .filter((part) => isIP(part) !== 0)
    const client = chain.findLast((part) => !isTrusted(part)) ?? chain[0] ?? address
    return {
      address: client,
      isSecure: headers.get('x-forwarded-proto') === 'https',
      isFromTrustedProxy: true,
      isClaimIgnored: false,
    }
  }
}

function listOf(text: string): BlockList {
  const list = new BlockList()
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const [address = '', bits] = part.split('/')
    const family = isIP(address)
    const isRange = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
    if (family === 0 || !isRange)
      throw new Failure('invalid', `--trustedProxies: ${JSON.stringify(part)} is no address or range`)
    const kind = family === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, kind)
    else list.addSubnet(address, Number(bits), kind)
  }
  return list
}

/** An IPv4 address that came through an IPv6 socket is the same address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')
