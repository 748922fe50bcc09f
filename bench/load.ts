import { address, ask, type Peer, type Server } from './peer.ts'
import type { Scale } from './scale.ts'
import { readTool } from './tool.ts'
import type { Work } from './work.ts'

const CLIENTS = 8

/** Asks for one path again and again over connections kept alive; resolves with the milliseconds per request. */
export async function measureLoad(
  server: Server,
  path: string,
  seconds: number,
  notes: Set<string>,
  clients = CLIENTS,
): Promise<number> {
  const wrk = Bun.which('wrk')
  notes.add(`small requests: by ${wrk ? 'wrk' : 'fetch, wrk not found'}; in tables over ${CLIENTS} connections`)
  const rate = await (wrk
    ? rateByWrk(wrk, server, path, seconds, clients)
    : rateByFetch(server, path, seconds, clients))
  return 1000 / rate
}

/** How many requests were answered in a measured load of so many milliseconds each. */
export function requestsOfLoad(figure: number, { loadSeconds }: Scale): number {
  return (loadSeconds * 1000) / figure
}

/** The smallest answer of the same server, where one is known. */
export function againstHealth(limit: number): Work['references'] {
  return async ({ notes }, { scale }) => {
    const sample = async (peer: Peer) => {
      const { health } = peer.dialect
      return health === undefined ? Number.NaN : measureLoad(peer, health, scale.loadSeconds, notes)
    }
    return [{ kind: 'own', name: 'own /health', limit, sample }]
  }
}

async function rateByWrk(wrk: string, server: Server, path: string, seconds: number, clients: number) {
  const load = ['-t1', `-c${clients}`, `-d${seconds}s`]
  return parseWrk(await readTool([wrk, ...load, '-H', `X-Auth: ${server.token}`, address(server, path)]))
}

/** The requests per second in a report of wrk. A report of refused requests is a failure, however fast they were. */
export function parseWrk(report: string): number {
  const trouble = /^\s*(Non-2xx or 3xx responses|Socket errors): (.+)$/m.exec(report)
  if (trouble) throw new Error(`wrk met ${trouble[1]}: ${trouble[2]}`)
  const rate = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(report)?.[1])
  if (!(rate > 0)) throw new Error('wrk got no answers')
  return rate
}

async function rateByFetch(server: Server, path: string, seconds: number, clients: number): Promise<number> {
  const started = performance.now()
  const end = started + seconds * 1000
  let answers = 0
  const askUntilEnd = async () => {
    while (performance.now() < end) {
      const answer = await ask(server, path)
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}`)
      answers++
    }
  }
  await Promise.all(Array.from({ length: clients }, askUntilEnd))
  return (answers * 1000) / (performance.now() - started)
}
