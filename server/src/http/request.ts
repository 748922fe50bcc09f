import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure } from '../failure.ts'
import { type Form, formOf } from './body.ts'
import type { Input } from './input.ts'
import { Query } from './query.ts'
import type { Conversation, Reply } from './sockets.ts'

/** What the socket knows of a request beside the request itself. */
export interface Connection {
  /** As it came: not decoded, without the base URL and the query. */
  readonly path: string
  readonly address: string
  /** Many people may come from this address; `claimed` is the one a header names, which anybody can write. */
  readonly isShared: boolean
  readonly claimed: string
  readonly isSecure: boolean
  readonly isFromTrustedProxy: boolean
  /** A page of another site made the browser send it. */
  readonly isFromElsewhere: boolean
  /** Restarts the idle timeout: bytes still flow, however slowly. */
  keepAlive(): void
  /** Suspends the idle timeout until the answer is there: the client has nothing more to send. */
  keepAliveUntilAnswered(): void
  /** What the log tells of the request, such as who sent it; doors and routes add to it. */
  facts?: LogFacts
  /** When the request came, by `performance.now()`. */
  readonly since: number
  /** Tells the lines of one request from those of others; a trusted proxy may have named it. */
  readonly id: string
  /** Counts the bytes of a body, where metrics are on. */
  received?(bytes: number): void
  /** How many bytes of the answer there are so far: all of them, where its length is known from the start. */
  sentBytes?: number
  /** Counts the bytes of an answer, before they are compressed where they go out as they are made. */
  sent?(bytes: number): void
  /** Turns the connection into a WebSocket; false when the request is none. */
  upgrade(begin: (reply: Reply) => Conversation): boolean
}

/** What a line of the log tells. Never a password, a token, or the whole hash of a link. */
export type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>

/** Writes a refusal or an error to the log. */
export type Report = (error: unknown, request: Request, connection: Connection, when?: { isUnderWay: boolean }) => void

/** How the address of a request fits its route. */
export interface RouteMatch {
  /** The part of the path that the route's '*' stands for, not decoded. */
  readonly rest: string
  readonly params: Readonly<Record<string, string>>
}

/** A request on its way through the server, read by the schemas of its route. */
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

  /** The query as the route's schema reads it; one that does not fit is refused. */
  get query(): QueryValues {
    this.#query ??= this.#input.query(this.rawQuery)
    return this.#query
  }

  /** The query as it was sent, for what is decided before a route reads it. */
  get rawQuery(): Query {
    this.#rawQuery ??= new Query(this.request.url)
    return this.#rawQuery
  }

  /** The body as the route takes it. Nothing of it is read before this is called, and reading it twice is a mistake. */
  body(): Body {
    return this.#input.body(this)
  }

  /** The form that was sent as the body. */
  get form(): Form {
    this.#form ??= formOf(this)
    return this.#form
  }

  /** Adds to what the log tells of this request. */
  note(facts: LogFacts): void {
    this.connection.facts = { ...this.connection.facts, ...facts }
  }

  /** Counts bytes of the answer. The answer to HEAD has none. */
  sent(bytes: number): void {
    if (this.request.method === 'HEAD') return
    this.connection.sentBytes = (this.connection.sentBytes ?? 0) + bytes
    this.connection.sent?.(bytes)
  }

  /** Writes an error to the log that comes when the answer is on its way already. One line an answer. */
  report(error: unknown): void {
    if (this.#isReported) return
    this.#isReported = true
    this.#report(error, this.request, this.connection, { isUnderWay: true })
  }

  /** The request's signal, made only when it is asked for: to make one costs more than a short answer. */
  get cancellation(): Cancellation {
    const { request } = this
    return { throwIfAborted: () => request.signal.throwIfAborted() }
  }

  /** Signing in, renewing and signing out must never be the choice of a foreign page. */
  requireOwnPage(): void {
    if (this.connection.isFromElsewhere)
      throw new Failure(
        'forbidden',
        'A page of another site asks. If it is this one behind a proxy, see --allowedHosts',
      )
  }

  /** For a context that knows more, such as who asks: what the constructor takes. */
  protected static partsOf<QueryValues, Body>(
    context: RequestContext<QueryValues, Body>,
  ): [Request, Connection, RouteMatch, Input<QueryValues, Body>, Report] {
    return [context.request, context.connection, context.match, context.#input, context.#report]
  }

  /** What has been read of the request already goes over to the context that knows more. */
  protected continueFrom(context: RequestContext<QueryValues, Body>): void {
    this.#rawQuery = context.#rawQuery
    this.#form = context.#form
  }
}
