import type { FailureCode, Problem } from '@filestead/contract'
import { sessionSignal } from '../state/session-scope.ts'
import { startSettings } from './start-settings.ts'

/** A refusal of the server, or `status` 0 when it could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    readonly status: number,
    message: string,
    /** The server's own word for the reason, where it gave one. */
    readonly code: FailureCode | null = null,
    /** Seconds after which another try makes sense, 0 when the server did not say. */
    readonly retryAfter = 0,
    options?: ErrorOptions,
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
  /** The second try, with another token. There is no third. */
  isAgain?: boolean
}

/** How the client and the session meet without knowing each other. */
export interface Gate {
  token(): string | null
  /** The server asks for a fresh token. */
  onRenewalWanted(): void
  /** The token is no longer taken. Answers whether there is another one to try. */
  onRefused(): Promise<boolean>
}

let gate: Gate = { token: () => null, onRenewalWanted: () => {}, onRefused: async () => false }

export function openGate(next: Gate): void {
  gate = next
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
  const headers = new Headers({ Accept: 'application/json, */*;q=0.5', ...init.headers })
  const token = init.isPublic === true ? null : gate.token()
  if (token !== null) headers.set('X-Auth', token)
  const isPlain = init.body === undefined || typeof init.body === 'string' || init.body instanceof Blob
  if (!isPlain) headers.set('Content-Type', 'application/json')
  const response = await fetch(apiUrl(path), {
    method,
    headers,
    signal,
    body: isPlain ? ((init.body as BodyInit | undefined) ?? null) : JSON.stringify(init.body),
  }).catch(tellLost)
  if (token !== null && response.headers.get('X-Renew-Token') === 'true') gate.onRenewalWanted()
  if (response.ok && response.status !== 202) return response
  if (response.status === 401 && init.isPublic !== true && init.isAgain !== true && (await hasOtherToken(token)))
    return call(method, path, { ...init, isAgain: true, ...(signal && { signal }) })
  // Whoever asked is told by the screen that asks them to sign in again.
  signal?.throwIfAborted()
  // 202 is how the predecessor refuses a download; its body says why.
  throw await toApiError(response)
}

function whileInSession(signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? sessionSignal() : AbortSignal.any([signal, sessionSignal()])
}

/** The refusal may be an answer to a token that has been replaced since. */
async function hasOtherToken(refused: string | null): Promise<boolean> {
  const now = gate.token()
  return (now !== null && now !== refused) || gate.onRefused()
}

export const getJson = async <Answer>(path: string, init?: Call): Promise<Answer> =>
  (await call('GET', path, init)).json().catch(tellLost)

/** The connection did not come about, or broke before the whole answer was there. Browsers say so in words of their own. */
export function tellLost(cause: unknown): never {
  if (isAbort(cause)) throw cause
  throw new ApiError(0, '000 No connection', null, 0, { cause })
}

/** Left on purpose: not worth a word to anybody. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** What a proxy says in its own name when the server behind it does not answer: it is being restarted, or gone. */
const proxyComplaints: readonly number[] = [502, 503, 504]

async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const problem = parseProblem(text)
  if (problem === null && proxyComplaints.includes(response.status))
    return new ApiError(0, `${response.status} No connection`)
  const message = problem?.message || (problem === null && text.trim()) || `${response.status} ${response.statusText}`
  return new ApiError(response.status, message, problem?.code ?? null, Number(response.headers.get('Retry-After')) || 0)
}

function parseProblem(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'code' in value ? (value as Problem) : null
  } catch {
    return null
  }
}
