import type { FailureCode, Problem } from '@filestead/contract'
import { perSession, sessionSignal } from '../state/session-scope.ts'
import { startSettings } from './start-settings.ts'

/** A refusal of the server, or `status` 0 when it could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    readonly status: number,
    message: string,
    /** The server's code for the reason, where it gave one. */
    readonly code: FailureCode | null = null,
    /** Seconds after which another try makes sense, 0 when the server did not say. */
    readonly retryAfter = 0,
    options?: ErrorOptions,
    /** All that the server said about it. */
    readonly problem: Problem | null = null,
  ) {
    super(message, options)
  }
}

export interface Call {
  /** Sent as JSON, unless it is a text or a Blob already. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  /** For visitors of a share and for signing in: no token is sent, and a 401 is an answer like any other. */
  isPublic?: boolean
  /** Made without the person: it does not keep the session alive, and "not modified" is an answer like any other. */
  isBackground?: boolean
  /** For work that may go on after its answer: 202 is an answer like any other. */
  mayGoOn?: boolean
  /** The second try, with another token. There is no third. */
  isAgain?: boolean
}

/** What the session tells every call, and hears from it. `server/session.ts` provides it. */
export interface Authentication {
  token(): string | null
  /** The server asks for a fresh token. */
  onRenewalWanted(): void
  /** The token is no longer taken. Answers whether there is another one to try. */
  onRefused(): Promise<boolean>
}

let authentication: Authentication = {
  token: () => null,
  onRenewalWanted: () => {},
  onRefused: async () => false,
}

export function provideAuthentication(next: Authentication): void {
  authentication = next
}

/** The address of something under /api, for links, images and calls alike. */
export const apiUrl = (path: string): string => `${startSettings.BaseURL}/api/${path}`

/**
 * Every call of the client goes through here. Knows no React, no router and no toast. A call belongs to the session in
 * which it is made: it ends with that session, and is never made again in another one.
 */
export async function call(method: string, path: string, init: Call = {}): Promise<Response> {
  const signal = init.isPublic === true ? (init.signal ?? null) : whileInSession(init.signal)
  signal?.throwIfAborted()
  const early = method === 'GET' && isPlain(init) ? takeEarly(path, signal) : null
  const { response, token } = await (early ?? send(method, path, init, signal))
  const isPresent = token !== null && token === authentication.token()
  if (isPresent && !init.isBackground && response.headers.get('X-Renew-Token') === 'true')
    authentication.onRenewalWanted()
  if (response.ok && (response.status !== 202 || init.mayGoOn)) return response
  if (init.isBackground && response.status === 304) return response
  if (response.status === 401 && init.isPublic !== true && init.isAgain !== true && (await hasOtherToken(token)))
    return call(method, path, { ...init, isAgain: true, ...(signal && { signal }) })
  // A session that ended meanwhile is explained by the login screen, not by this failure.
  signal?.throwIfAborted()
  // 202 is how the predecessor refuses a download; its body says why.
  throw await toApiError(response)
}

interface Sent {
  response: Response
  /** The token that it was sent with. */
  token: string | null
}

async function send(method: string, path: string, init: Call, signal: AbortSignal | null): Promise<Sent> {
  const headers = new Headers({ Accept: 'application/json, */*;q=0.5', ...init.headers })
  const token = init.isPublic === true ? null : authentication.token()
  if (token !== null) headers.set('X-Auth', token)
  const isReady = init.body === undefined || typeof init.body === 'string' || init.body instanceof Blob
  if (!isReady) headers.set('Content-Type', 'application/json')
  const response = await fetch(apiUrl(path), {
    method,
    headers,
    signal,
    body: isReady ? ((init.body as BodyInit | undefined) ?? null) : JSON.stringify(init.body),
  }).catch(throwConnectionLost)
  return { response, token }
}

/** The answer of an early request is for the screen that the page starts with, not for one that is opened later. */
const earlyFor = 10_000

/** GET requests that were sent before the code that asks for them was there. Null once the answer was handed out. */
const earlyRequests = perSession(() => new Map<string, { sent: Promise<Sent>; at: number } | null>())

/** Sends what a screen will ask for while the screen itself is still being loaded. */
export function sendEarly(path: string, init: Pick<Call, 'isPublic'> = {}): void {
  const requests = earlyRequests()
  if (requests.has(path)) return
  const sent = send('GET', path, init, init.isPublic === true ? null : sessionSignal())
  // Reported by the call that takes it.
  sent.catch(() => {})
  requests.set(path, { sent, at: Date.now() })
}

/** Has it been sent early, and answered well? The answer stays for the call that takes it. */
export const isAnsweredEarly = async (path: string): Promise<boolean> =>
  (await earlyRequests()
    .get(path)
    ?.sent.then(
      ({ response }) => response.ok,
      () => false,
    )) ?? false

/** A line that gave no answer may have swallowed them: they are sent anew. */
export const forgetEarly = (): void => earlyRequests().clear()

function takeEarly(path: string, signal: AbortSignal | null): Promise<Sent> | null {
  const request = earlyRequests().get(path)
  if (request == null) return null
  if (Date.now() - request.at > earlyFor) {
    earlyRequests().delete(path)
    return null
  }
  earlyRequests().set(path, null)
  return signal === null ? request.sent : Promise.race([request.sent, rejectedOnAbort(signal)])
}

/** Early requests carry no headers but the token: a password, for example, makes another question of the same path. */
const isPlain = ({ headers, isAgain }: Call): boolean => isAgain !== true && Object.keys(headers ?? {}).length === 0

const rejectedOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

function whileInSession(signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? sessionSignal() : AbortSignal.any([signal, sessionSignal()])
}

/** The refusal may be an answer to a token that has been replaced since. */
async function hasOtherToken(refused: string | null): Promise<boolean> {
  const now = authentication.token()
  return (now !== null && now !== refused) || authentication.onRefused()
}

export const getJson = async <Answer>(path: string, init?: Call): Promise<Answer> =>
  (await call('GET', path, init)).json().catch(throwConnectionLost)

/**
 * The version of what was answered, as the server named it. A proxy that compresses marks the name as a weak one (nginx,
 * Cloudflare) or adds its compression (Apache, Caddy), and with that a save would be refused as one of an old version.
 */
export const versionIn = ({ headers }: Response): string | null =>
  headers.get('ETag')?.replace(/^W\/|-(gzip|deflate|br|zstd)(?="$)/g, '') ?? null

/** The connection did not come about, or broke before the whole answer was there. Browsers say so in words of their own. */
export function throwConnectionLost(cause: unknown): never {
  if (isAbort(cause)) throw cause
  throw new ApiError(0, '000 No connection', null, 0, { cause })
}

/** Left on purpose: nothing to report. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** What a proxy answers by itself while the server behind it is restarted or gone. */
const proxyFailures: readonly number[] = [502, 503, 504]

async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const problem = parseProblem(text)
  if (problem === null && proxyFailures.includes(response.status))
    return new ApiError(0, `${response.status} No connection`)
  const said = problem === null && !isPage(response, text) ? text.trim() : problem?.message
  const message = said || `${response.status} ${response.statusText}`.trim()
  const retryAfter = Number(response.headers.get('Retry-After')) || 0
  return new ApiError(response.status, message, problem?.code ?? null, retryAfter, undefined, problem)
}

/** A proxy refuses with a page of its own, which is no message to show. */
const isPage = ({ headers }: Response, text: string): boolean =>
  /\bhtml\b/i.test(headers.get('Content-Type') ?? '') || /^\s*</.test(text)

function parseProblem(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'code' in value ? (value as Problem) : null
  } catch {
    return null
  }
}
