import { actionOf, isUploadUnfinished, methodOf } from '../http/actions.ts'
import { Query } from '../http/query.ts'
import type { Connection } from '../http/request.ts'
import { type Metric, textOf } from './metric.ts'
import type { Traffic } from './traffic.ts'

type Fetch = (request: Request, connection: Connection) => Response | Promise<Response>

/** Wraps `fetch` to count requests and answers. */
export function counting(fetch: Fetch, traffic: Traffic): Fetch {
  const note = (request: Request, { path, since }: Connection, response: Response): Response => {
    traffic.answered(kindOf(path), response.status, (performance.now() - since) / 1000)
    countAction(traffic, request, path, response)
    return response
  }
  return (request, connection) => {
    connection.received = traffic.received
    connection.sent = traffic.sent
    connection.changed = traffic.changed
    const answer = fetch(request, connection)
    return answer instanceof Promise
      ? answer.then((response) => note(request, connection, response))
      : note(request, connection, answer)
  }
}

function countAction(traffic: Traffic, request: Request, path: string, response: Response): void {
  const action = actionOf(methodOf(request, path), path, () => new Query(request.url))
  if (action?.kind !== 'change') return
  if (action.name === 'sign-in') traffic.triedToSignIn(response.ok ? 'ok' : 'refused')
  else if (response.ok && !(action.name === 'upload' && isUploadUnfinished(response))) traffic.changed(action.name)
}

/** The kind of a request: a closed list, so that unknown addresses cannot add labels to the metrics. */
export function kindOf(path: string): string {
  if (path === '/health') return 'health'
  const [, first, second = ''] = path.split('/', 3)
  if (first === 'api') return kinds.get(second) ?? 'other'
  return first === 'static' ? 'static' : 'page'
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['resources', 'files'],
  ['usage', 'files'],
  ['folder-size', 'files'],
  ['entries', 'files'],
  ['folders', 'files'],
  ['favourites', 'files'],
  ['operations', 'files'],
  ['timeline', 'files'],
  ['timeline-folder', 'files'],
  ['trash', 'files'],
  ['events', 'files'],
  ['jobs', 'files'],
  ['conflicts', 'files'],
  ['archive', 'files'],
  ['raw', 'downloads'],
  ['archive-file', 'downloads'],
  ['tus', 'uploads'],
  ['uploads', 'uploads'],
  ['preview', 'previews'],
  ['subtitle', 'previews'],
  ['media', 'previews'],
  ['search', 'search'],
  ['share', 'shares'],
  ['shares', 'shares'],
  ['shared', 'shares'],
  ['public', 'shares'],
  ['users', 'users'],
  ['groups', 'users'],
  ['grants', 'users'],
  ['access', 'users'],
  ['mounts', 'files'],
  ['settings', 'settings'],
  ['command', 'commands'],
  ...['login', 'logout', 'signup', 'renew', 'sessions', 'sign-ins'].map((name): [string, string] => [
    name,
    'signing in',
  ]),
])

/** A listener of its own: access to the files gives no access to the metrics, nor the other way round. */
export function listenForMetrics(
  address: { host: string; port: number },
  ready: Promise<() => Promise<readonly Metric[]>>,
) {
  const server = Bun.serve({
    hostname: address.host,
    port: address.port,
    reusePort: false,
    development: false,
    async fetch(request) {
      if (new URL(request.url, 'http://unknown').pathname !== '/metrics')
        return new Response('Metrics are at /metrics\n', { status: 404 })
      return new Response(textOf(await (await ready)()), { headers: { 'content-type': 'text/plain; version=0.0.4' } })
    },
    error: () => new Response('The metrics cannot be told\n', { status: 500 }),
  })
  return {
    port: server.port ?? address.port,
    close: () => server.stop(true),
  }
}
