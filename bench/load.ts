import { address, ask, type Server } from './peer.ts'
import { readTool } from './tool.ts'

const CONNECTIONS = 8

/** Asks for one path again and again over connections kept alive; resolves with the milliseconds per request. */
export async function measureLoad(server: Server, path: string, seconds: number, notes: Set<string>): Promise<number> {
  const wrk = Bun.which('wrk')
  notes.add(`small-folder: ms per request over ${CONNECTIONS} connections, by ${wrk ? 'wrk' : 'fetch, wrk not found'}`)
  const rate = wrk ? await rateByWrk(wrk, server, path, seconds) : await rateByFetch(server, path, seconds)
  return 1000 / rate
}

async function rateByWrk(wrk: string, server: Server, path: string, seconds: number): Promise<number> {
  const load = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`]
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

async function rateByFetch(server: Server, path: string, seconds: number): Promise<number> {
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
  await Promise.all(Array.from({ length: CONNECTIONS }, askUntilEnd))
  return (answers * 1000) / (performance.now() - started)
}
