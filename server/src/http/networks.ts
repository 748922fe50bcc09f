/** Where a request comes from, as far as that is known. */
export interface Source {
  readonly address: string
  /** Many people may have this address: nobody was named to tell them apart. */
  readonly isShared: boolean
  /** The address that somebody claimed for one of them; anybody can write it. Empty where there is none. */
  readonly claimed: string
}

/** Whoever has one IPv6 address has as many as they like, all of one network. */
export const networkOf = (address: string): string => cutAt(address, 4)

/** Providers hand out networks by the thousand; undefined where there is no such thing. */
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
