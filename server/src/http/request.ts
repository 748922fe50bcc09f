import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure } from '../failure.ts'
import { type Form, formOf } from './body.ts'
import type { Input } from './input.ts'
import { Query } from './query.ts'
import type { WebSocketHandler, WebSocketSender } from './websocket.ts'

/** What is known of a request beside its head and body: the client, the path, the timeouts. */
export interface Connection {
  /** Not decoded, without the base URL and the query. */
  readonly path: string
  readonly address: string
  /** Many clients may have this address; `claimed` is the address in a forwarding header that is not trusted. */
  readonly isShared: boolean
  readonly claimed: string
  readonly isSecure: boolean
  readonly isFromTrustedProxy: boolean
  /** Sent by a browser on behalf of a page of another site. */
  readonly isCrossSite: boolean
  /** Restarts the idle timeout: bytes are still transferred, however slowly. */
  keepAlive(): void
  /** Suspends the idle timeout until there is an answer: the client has nothing more to send. */
  keepAliveUntilAnswered(): void
  /** Fields for the log, such as the user; doors and routes add to them. */
  facts?: LogFacts
  /** When the request arrived, by `performance.now()`. */
  readonly since: number
  /** The request id in the log; a trusted proxy may have chosen it. */
  readonly id: string
  /** Counts the bytes of a body, where metrics are on. */
  received?(bytes: number): void
  /** Counts a change of a request that makes several, where metrics are on. */
  changed?(action: string): void
  /** Bytes of the answer so far; all of them where the length is known from the start. */
  sentBytes?: number
  /** Counts the bytes of an answer; those of a stream before compression. */
  sent?(bytes: number): void
  /** Upgrades the connection to a WebSocket; false when the request is no handshake. */
  upgrade(open: (sender: WebSocketSender) => WebSocketHandler): boolean
}

/** Fields of a log line. Never a password, a token, or the whole hash of a share. */
export type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>

/** Writes a refusal or an error to the log. */
export type Report = (error: unknown, request: Request, connection: Connection, when?: { isUnderWay: boolean }) => void

/** How a path matches its route. */
export interface RouteMatch {
  /** The part of the path that the route's '*' stands for, not decoded. */
  readonly rest: string
  readonly params: Readonly<Record<string, string>>
}

/** A request with its query and body, parsed by the schemas of its route. */
export class RequestContext<QueryValues = unknown, Body = unknown> {
  readonly request: Request
  readonly connection: Connection
  readonly match: RouteMatch
  readonly #input: Input<QueryValues, Body>
  readonly #report: Report
  #rawQuery: Query | undefined
  #query: QueryValues | undefined
  #form: Form | undefined
  #isReported = false

  constructor(
    request: Request,
    connection: Connection,
    match: RouteMatch,
    input: Input<QueryValues, Body>,
    report: Report,
  ) {
    this.request = request
    this.connection = connection
    this.match = match
    this.#input = input
    this.#report = report
  }

  get endsWithSlash(): boolean {
    return this.connection.path.endsWith('/')
  }

  /** The query, parsed by the route's schema; one that does not fit is refused. */
  get query(): QueryValues {
    this.#query ??= this.#input.query(this.rawQuery)
    return this.#query
  }

  /** The query without a schema, for the doors, which decide before the route parses it. */
  get rawQuery(): Query {
    this.#rawQuery ??= new Query(this.request.url)
    return this.#rawQuery
  }

  /** The body, parsed as the route declares it. Reads from the connection; may be called once. */
  body(): Body {
    return this.#input.body(this)
  }

  /** The form that was sent as the body. */
  get form(): Form {
    this.#form ??= formOf(this)
    return this.#form
  }

  /** Adds fields to the log line of this request. */
  note(facts: LogFacts): void {
    this.connection.facts = { ...this.connection.facts, ...facts }
  }

  /** Counts bytes of the answer; none for HEAD. */
  sent(bytes: number): void {
    if (this.request.method === 'HEAD') return
    this.connection.sentBytes = (this.connection.sentBytes ?? 0) + bytes
    this.connection.sent?.(bytes)
  }

  /** Logs an error after the headers were sent. At most one line an answer. */
  report(error: unknown): void {
    if (this.#isReported) return
    this.#isReported = true
    this.#report(error, this.request, this.connection, { isUnderWay: true })
  }

  /** The request's abort signal, created on first use: creating one costs more than a short answer. */
  get cancellation(): Cancellation {
    const { request } = this
    return { throwIfAborted: () => request.signal.throwIfAborted() }
  }

  /** Asked while an answer is sent, which may take days: refuses once its sender has lost the right to it. */
  async requireStill(): Promise<void> {}

  /** CSRF: refuses requests that a page of another site made the browser send. */
  requireSameSite(): void {
    if (this.connection.isCrossSite)
      throw new Failure(
        'forbidden',
        'A page of another site asks. If it is this one behind a proxy, see --allowedHosts',
      )
  }

  /** The constructor's arguments, for a subclass that adds the caller. */
  protected static partsOf<QueryValues, Body>(
    context: RequestContext<QueryValues, Body>,
  ): [Request, Connection, RouteMatch, Input<QueryValues, Body>, Report] {
    return [context.request, context.connection, context.match, context.#input, context.#report]
  }

  /** Takes over what was already parsed, for a subclass. */
  protected continueFrom(context: RequestContext<QueryValues, Body>): void {
    this.#rawQuery = context.#rawQuery
    this.#form = context.#form
  }
}
