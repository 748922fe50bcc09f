import { flowOf } from '../http/flow.ts'
import type { Connection } from '../http/request.ts'
import type { Metrics } from './metrics.ts'
import type { Traffic } from './traffic.ts'

type Fetch = (request: Request, connection: Connection) => Response | Promise<Response>

/** Counts what goes through, and otherwise leaves it alone. */
export function counting(fetch: Fetch, traffic: Traffic): Fetch {
  const note = (path: string, method: string, response: Response): Response => {
    traffic.answered(kindOf(path), response.status)
    const flow = method === 'HEAD' ? undefined : flowOf(response)
    if (flow !== undefined) {
      traffic.sent(flow.bytes)
      flow.tell = traffic.sent
    }
    return response
  }
  return (request, connection) => {
    connection.received = traffic.received
    const { path } = connection
    const answer = fetch(request, connection)
    return answer instanceof Promise
      ? answer.then((response) => note(path, request.method, response))
      : note(path, request.method, answer)
  }
}

/** What a request is about: a short list, so that nobody can make it longer by asking for something else. */
export function kindOf(path: string): string {
  if (path === '/health') return 'health'
  const [, first, second = ''] = path.split('/', 3)
  if (first === 'api') return kinds.get(second) ?? 'other'
  return first === 'static' ? 'static' : 'page'
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['resources', 'files'],
  ['usage', 'files'],
  ['raw', 'downloads'],
  ['tus', 'uploads'],
  ['preview', 'previews'],
  ['subtitle', 'previews'],
  ['search', 'search'],
  ['share', 'shares'],
  ['shares', 'shares'],
  ['public', 'shares'],
  ['users', 'users'],
  ['settings', 'settings'],
  ['command', 'commands'],
  ...['login', 'logout', 'signup', 'renew', 'sessions'].map((name): [string, string] => [name, 'signing in']),
])

/** Its own address, so that whoever may see the files need not see this, and the other way round. */
export function listenForMetrics(address: { host: string; port: number }, ready: Promise<Metrics>) {
  const server = Bun.serve({
    hostname: address.host,
    port: address.port,
    reusePort: false,
    development: false,
    async fetch(request) {
      if (new URL(request.url, 'http://unknown').pathname !== '/metrics')
        return new Response('Metrics are at /metrics\n', { status: 404 })
      return new Response(await (await ready).text(), { headers: { 'content-type': 'text/plain; version=0.0.4' } })
    },
    error: () => new Response('The metrics cannot be told\n', { status: 500 }),
  })
  return {
    port: server.port ?? address.port,
    close: () => server.stop(true),
  }
}
