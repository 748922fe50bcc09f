import { type Action, actionOf, isUploadUnfinished, methodOf } from '../http/actions.ts'
import { loggedPath } from '../http/logged-path.ts'
import type { Connection, LogFacts, RequestContext } from '../http/request.ts'
import type { Fetch } from '../http/router.ts'
import type { Log } from '../log/log.ts'
import { LruMap } from '../lru-map.ts'

/** The door of a request: a session, or a share. */
export type Door = 'web' | 'link'

/** Logs requests that succeeded. `reporter` logs those that were refused. */
export interface Audit {
  /** Logs an answer that changes something or sends a file; at level debug, every answer. */
  succeeded(context: RequestContext, response: Response, door: Door): void
  /** Logs work without an answer of its own, such as a command on a WebSocket. */
  did(event: string, context: RequestContext, door: Door, facts: LogFacts): void
}

interface Options {
  /** Also answers that change nothing. */
  isVerbose: boolean
  /** In milliseconds: ranges of a file within this time of each other are one download. */
  sameDownload?: number
}

/** Of more downloads by ranges than this, some get a second line. */
const mostDownloads = 1000

export function auditIn(
  log: Pick<Log, 'info' | 'debug' | 'error'>,
  { isVerbose, sameDownload = 600_000 }: Options,
): Audit {
  /** When the last range of a download was sent. A player requests hundreds of ranges of a film. */
  const downloads = new LruMap<string, number>(mostDownloads)

  function isFirstPart({ request, connection: { facts, address } }: RequestContext): boolean {
    // With the query, which selects the members of an archive.
    const key = Bun.CryptoHasher.hash('sha256', `${facts?.userId ?? ''} ${address} ${request.url}`, 'base64')
    const now = performance.now()
    const last = downloads.get(key) ?? Number.NEGATIVE_INFINITY
    downloads.set(key, now)
    return now - last > sameDownload
  }

  function logAnswer(context: RequestContext, response: Response, door: Door): void {
    const { request, connection } = context
    const action = actionOf(methodOf(request, connection.path), connection.path, () => context.rawQuery)
    const isOnlyLook = action === undefined || action.kind === 'look'
    if (isOnlyLook && !isVerbose && connection.facts?.sends === undefined) return
    if (response.status >= 400) return
    const { sends, ...who } = connection.facts ?? {}
    const event = eventOf(action ?? other, context, response, sends)
    const isMinor =
      (event.kind === 'send' && !sendsNow(request, response)) || (response.status === 206 && !isFirstPart(context))
    const level = isMinor || event.kind === 'look' ? 'debug' : 'info'
    if (level === 'debug' && !isVerbose) return
    log[level]({
      event: event.name,
      door,
      ...who,
      ...targetOf(context, event, response),
      ...bytesOf(context, response, event),
      ...outcomeOf(connection, response.status),
    })
  }

  return {
    succeeded(context, response, door) {
      try {
        logAnswer(context, response, door)
      } catch (error) {
        // The request has succeeded; an error in logging must not fail it.
        log.error({ err: error }, 'A line of the log could not be made')
      }
    },
    did(event, { connection }, door, facts) {
      log.info({ event, door, ...connection.facts, ...facts, id: connection.id, address: connection.address })
    },
  }
}

const other: Action = { name: 'other', kind: 'look' }
const piece: Action = { name: 'upload-piece', kind: 'look' }
const archive: Action = { name: 'archive', kind: 'send' }
const read: Action = { name: 'read', kind: 'send' }

/** Refines the action by the answer. */
function eventOf(action: Action, { connection }: RequestContext, response: Response, sends: unknown): Action {
  if (sends === 'text') return read
  // Asked last for its body: the runtime would make a stream of one that is none.
  if (action.name === 'download' && connection.sentBytes === undefined && response.body !== null) return archive
  if (action.name === 'upload' && isUploadUnfinished(response)) return piece
  return action
}

/** Neither 304 nor HEAD sends content. */
const sendsNow = ({ method }: Request, { status }: Response): boolean => method !== 'HEAD' && status !== 304

/** The target of an action. Paths are relative to the user's scope, or to the share. */
function targetOf(context: RequestContext, { name }: Action, response: Response): LogFacts {
  const { request, connection, match, rawQuery: query } = context
  if (name.endsWith('-user'))
    return { target: Number(match.params.id ?? response.headers.get('location')?.split('/').at(-1)) }
  if (name === 'unshare') return { link: loggedPath(request.method, connection.path).split('/').at(-1) ?? '' }
  if (match.rest === '' && !connection.path.endsWith('/')) return {}
  const destination = name === 'copy' || name === 'move' ? query.get('destination') : undefined
  return {
    path: connection.facts?.path ?? shownPath(match.rest),
    ...(destination !== undefined && { to: connection.facts?.to ?? shownPath(destination.replaceAll('+', ' ')) }),
    ...(name === 'archive' && query.get('files') !== undefined && { files: query.get('files')?.slice(0, longest) }),
    ...(query.get('inline') === 'true' && { inline: true }),
  }
}

const longest = 2000

function shownPath(encoded: string): string {
  const text = encoded.slice(0, longest)
  try {
    return `/${decodeURIComponent(text).replace(/^\/+/, '')}`
  } catch {
    return `/${text}`
  }
}

function bytesOf(
  { request: { headers }, connection }: RequestContext,
  response: Response,
  { name, kind }: Action,
): LogFacts {
  const range = response.headers.get('content-range')
  // The text is a part of the JSON answer.
  if (name === 'read') return {}
  if (kind === 'send') {
    const whole = response.headers.get('x-archive-length')
    const bytes = connection.sentBytes ?? (whole === null ? undefined : Number(whole))
    return { ...(bytes !== undefined && { bytes }), ...(range !== null && { range }) }
  }
  const sent =
    name === 'upload' ? response.headers.get('upload-offset') : storing.has(name) ? headers.get('content-length') : null
  return sent === null ? {} : { bytes: Number(sent) }
}

/** Actions whose body is the content of a file. */
const storing: ReadonlySet<string> = new Set(['create', 'save'])

const outcomeOf = (connection: Connection, status: number): LogFacts => ({
  ms: elapsed(connection),
  id: connection.id,
  address: connection.address,
  status,
})

const elapsed = ({ since }: Connection): number => Math.round(performance.now() - since)

/** Logs every request, for --accessLog. */
export function accessLogged(fetch: Fetch, log: Pick<Log, 'info'>): Fetch {
  const note = (request: Request, connection: Connection, response: Response): Response => {
    const { user, userId, link } = connection.facts ?? {}
    const { sentBytes } = connection
    log.info({
      event: 'access',
      method: request.method,
      path: loggedPath(request.method, connection.path),
      ...(user !== undefined && { user }),
      ...(userId !== undefined && { userId }),
      ...(link !== undefined && { link }),
      ...(sentBytes !== undefined && { bytes: sentBytes }),
      ...outcomeOf(connection, response.status),
    })
    return response
  }
  return (request, connection) => {
    const answer = fetch(request, connection)
    return answer instanceof Promise
      ? answer.then((response) => note(request, connection, response))
      : note(request, connection, answer)
  }
}
