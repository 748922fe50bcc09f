import { isIP } from 'node:net'
import { Failure } from '../failure.ts'

/** 'files.example.org', '*.example.org', an address, or '*' for every host there is. */
const hostPattern = /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*|\[?[0-9a-f:]+\]?)$/i

const partsOf = (list: string): string[] => list.split(/[\s,]+/).filter(Boolean)

export const isHostList = (list: string): boolean => partsOf(list).every((part) => hostPattern.test(part))

/** Is a host in the list? */
export function hostsIn(list: string): (host: string) => boolean {
  const wanted = partsOf(list).map((part) => nameIn(part) ?? part.toLowerCase())
  if (wanted.length === 0) return () => false
  return (host) => {
    const name = nameIn(host)
    return name !== undefined && wanted.some((part) => isCovered(name, part))
  }
}

/** The names that are written out: a page of just any host of a domain is no page of ours. */
export const namesIn = (list: string): ((host: string) => boolean) =>
  hostsIn(
    partsOf(list)
      .filter((part) => !part.includes('*'))
      .join(' '),
  )

const isCovered = (name: string, pattern: string): boolean =>
  pattern === '*' || (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern)

/** Where a server is and by which names it may be called. */
interface Called {
  address: string
  socket: string
  allowedHosts: string
}

/**
 * Whether a request may be meant for this host. A page from anywhere can give its own name the address of this machine
 * and is then taken for ours: where nobody signs in, that is all it needs. So a server without sign-in that is meant for
 * this machine only is called by names of this machine only.
 */
export function hostGuard({ address, socket, allowedHosts }: Called): HostGuard {
  const isNamed = hostsIn(allowedHosts)
  const isForThisMachine = socket === '' && isLoopback(address)
  const isEverywhere = allowedHosts.trim() === ''
  return (headers, { needsNoSignIn }) => {
    if (isEverywhere && !(needsNoSignIn && isForThisMachine)) return
    const host = headers.get('host')
    // Every browser tells one.
    if (host === null || isLoopback(host) || isNamed(host)) return
    // An address is no name that a page could have given to another. Watchdogs use it.
    if (!isForThisMachine && isIP(nameIn(host) ?? '') !== 0) return
    const shown = JSON.stringify(host.slice(0, 100))
    throw new Failure('invalid', `this server is not meant to be called ${shown}; --allowedHosts can change that`)
  }
}

export type HostGuard = (headers: Headers, options: { needsNoSignIn: boolean }) => void

/** Names that never lead away from this machine. A dot at the end makes no other name. */
export function isLoopback(host: string): boolean {
  const name = nameIn(host) ?? ''
  if (isIP(name) === 4) return name.startsWith('127.')
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost')
}

/** 'Files.example.org.:8080' is 'files.example.org', '[::1]:80' is '::1'; undefined for what is no host. */
export function nameIn(host: string): string | undefined {
  const [, six, plain] = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]\\,]+?)\.?)(?::\d*)?$/i.exec(host.trim()) ?? []
  if (six === undefined && plain === undefined && isIP(host.trim()) === 6) return host.trim().toLowerCase()
  return (six ?? plain)?.toLowerCase()
}

/**
 * Did a page of another site make the browser send this? Programs that are no browser tell nothing of the kind. A foreign
 * page can write no header of its own, so what a proxy says about the host is good enough for this.
 */
export function isFromElsewhere(headers: Headers, isNamed: (host: string) => boolean): boolean {
  const site = headers.get('sec-fetch-site')
  // The browser knows the address better than we do behind a proxy that changes the host.
  if (site === 'same-origin') return false
  const origin = headers.get('origin')
  if (origin === null) return site === 'cross-site'
  const host = hostOfOrigin(origin)
  if (host === undefined) return true
  const ours = [headers.get('host'), ...(headers.get('x-forwarded-host') ?? '').split(',')]
  return !isNamed(host) && !ours.some((one) => one !== null && nameIn(one) === host)
}

/** Without the port: cookies know none, and a proxy may leave it out. */
function hostOfOrigin(origin: string): string | undefined {
  try {
    return nameIn(new URL(origin).host)
  } catch {
    return undefined
  }
}
