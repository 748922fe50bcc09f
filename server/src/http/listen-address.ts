import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

/** The wildcard address: of IPv6, which accepts IPv4 too, where the machine has IPv6. */
export function everyAddress(): string {
  const found = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return found.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0'
}

/** Parses '127.0.0.1:9100', '[::1]:9100', or ':9100' for every address of this machine. */
export function parseAddress(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<plain>[^\s:/[\]]*)):(?<port>\d{1,5})$/.exec(text)
  if (match?.groups === undefined) return undefined
  const { six, plain, port } = match.groups
  return Number(port) > 65_535 ? undefined : { host: six ?? (plain || everyAddress()), port: Number(port) }
}

/** Removes a socket file that a crash left, so that its path can be bound. One with a listening process stays. */
export function removeStaleSocket(path: string): string {
  if (existsSync(path) && statSync(path).isSocket() && !isListenedOn(path)) rmSync(path)
  return path
}

/** The kernel lists a socket as long as a process holds it open. */
const isListenedOn = (path: string): boolean =>
  existsSync('/proc/net/unix') &&
  readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .some((line) => line.endsWith(` ${path}`))
