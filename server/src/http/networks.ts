/** Where a request comes from, for throttling. */
export interface Source {
  readonly address: string
  /** Many clients may have this address, and no trusted header tells them apart. */
  readonly isShared: boolean
  /** The address in an untrusted forwarding header. Empty where there is none. */
  readonly claimed: string
}

/** The /64 of an IPv6 address: a client can use any address in it. */
export const networkOf = (address: string): string => cutAt(address, 4)

/** The /48 of an IPv6 address: providers assign networks of that size. Undefined for IPv4. */
export const widerNetworkOf = (address: string): string | undefined =>
  address.includes(':') ? cutAt(address, 3) : undefined

function cutAt(address: string, groups: number): string {
  if (!address.includes(':')) return address
  const [front = '', back = ''] = address.toLowerCase().split('::')
  const [before, after] = [front.split(':').filter(Boolean), back.split(':').filter(Boolean)]
  const gap = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const kept = [...before, ...gap, ...after].slice(0, groups).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${kept.join(':')}::/${groups * 16}`
}
