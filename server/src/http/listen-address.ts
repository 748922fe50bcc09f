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
