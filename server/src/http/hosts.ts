import { isIP } from 'node:net'
import { Failure } from '../failure.ts'

/** 'files.example.org', '*.example.org', an IP address, or '*' for any host. */
const hostPattern = /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*|\[?[0-9a-f:]+\]?)$/i

const partsOf = (list: string): string[] => list.split(/[\s,]+/).filter(Boolean)

export const isHostList = (list: string): boolean => partsOf(list).every((part) => hostPattern.test(part))

/** A predicate for the hosts in a list. */
export function hostsIn(list: string): (host: string) => boolean {
  const wanted = partsOf(list).map((part) => hostnameIn(part) ?? part.toLowerCase())
  if (wanted.length === 0) return () => false
  return (host) => {
    const name = hostnameIn(host)
    return name !== undefined && wanted.some((part) => isCovered(name, part))
  }
}

/** The same without wildcards: not every host of a domain belongs to this server. */
export const exactHosts = (list: string): ((host: string) => boolean) =>
  hostsIn(
    partsOf(list)
      .filter((part) => !part.includes('*'))
      .join(' '),
  )

const isCovered = (name: string, pattern: string): boolean =>
  pattern === '*' || (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern)

interface HostOptions {
  address: string
  socket: string
  allowedHosts: string
}

/**
 * Refuses requests by their Host header, against DNS rebinding: the page of a foreign site whose name resolves to this
 * machine is same-origin with this server, and without sign-in needs nothing else. So a server without sign-in on a
 * loopback address answers to loopback names only, and every server to --allowedHosts where that is set.
 */
export function hostGuard({ address, socket, allowedHosts }: HostOptions): HostGuard {
  const isNamed = hostsIn(allowedHosts)
  const isOnLoopback = socket === '' && isLoopback(address)
  const allowsAnyHost = allowedHosts.trim() === ''
  return (headers, { needsNoSignIn }) => {
    if (allowsAnyHost && !(needsNoSignIn && isOnLoopback)) return
    const host = headers.get('host')
    // Browsers always send a Host.
    if (host === null || isLoopback(host) || isNamed(host)) return
    // An IP address cannot be rebound. Health checks use it.
    if (!isOnLoopback && isIP(hostnameIn(host) ?? '') !== 0) return
    const shown = JSON.stringify(host.slice(0, 100))
    throw new Failure('invalid', `this server is not meant to be called ${shown}; --allowedHosts can change that`)
  }
}

export type HostGuard = (headers: Headers, options: { needsNoSignIn: boolean }) => void

/** Names that always resolve to this machine. */
export function isLoopback(host: string): boolean {
  const name = hostnameIn(host) ?? ''
  if (isIP(name) === 4) return name.startsWith('127.')
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost')
}

/** 'Files.example.org.:8080' is 'files.example.org', '[::1]:80' is '::1'; undefined for an invalid host. */
export function hostnameIn(host: string): string | undefined {
  const [, six, plain] = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]\\,]+?)\.?)(?::\d*)?$/i.exec(host.trim()) ?? []
  if (six === undefined && plain === undefined && isIP(host.trim()) === 6) return host.trim().toLowerCase()
  return (six ?? plain)?.toLowerCase()
}

/**
 * Whether a page of another site made the browser send the request. Other programs send neither of the headers. A page
 * cannot set X-Forwarded-Host across sites, so that header is believed here from any sender.
 */
export function isCrossSite(headers: Headers, isNamed: (host: string) => boolean): boolean {
  const site = headers.get('sec-fetch-site')
  // Behind a proxy that changes the Host, only the browser knows the address of the page.
  if (site === 'same-origin') return false
  const origin = headers.get('origin')
  if (origin === null) return site === 'cross-site'
  const host = hostOfOrigin(origin)
  if (host === undefined) return true
  const own = [headers.get('host'), ...(headers.get('x-forwarded-host') ?? '').split(',')]
  return !isNamed(host) && !own.some((each) => each !== null && hostnameIn(each) === host)
}

/** Without the port: cookies ignore it, and a proxy may leave it out. */
function hostOfOrigin(origin: string): string | undefined {
  try {
    return hostnameIn(new URL(origin).host)
  } catch {
    return undefined
  }
}
