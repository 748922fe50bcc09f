import { STATUS_CODES } from 'node:http'
import type { FailureCode, Problem } from '@filestead/contract'
import { Failure } from '../failure.ts'
import { plainHeaders } from './answers.ts'

const statusOf = {
  invalid: 400,
  unauthenticated: 401,
  'wrong-credentials': 403,
  forbidden: 403,
  'not-found': 404,
  'not-allowed-here': 405,
  'already-exists': 409,
  'changed-meanwhile': 412,
  'too-large': 413,
  'unsupported-type': 415,
  'unsupported-version': 412,
  'wrong-offset': 409,
  'checksum-mismatch': 460, // Not in the standard of HTTP but in that of tus.
  locked: 423,
  'download-withheld': 202, // Clients tell "may not download" from "may not see" by it.
  incomplete: 400,
  'too-many-tries': 429,
  unavailable: 503,
  'no-space': 507,
  'no-preview': 501, // Clients show an icon instead.
  'not-installed': 501,
  internal: 500,
} satisfies Record<FailureCode, number>

export const statusOfFailure = (error: unknown): number => statusOf[codeOf(error)]

/** Not in the standard of HTTP: what proxies log for a client that left before it was answered. It counts in metrics. */
export const clientLeft = 499

/** Work was given up because its client left: nothing failed, and no client reads the answer. */
export const isClientLeft = (error: unknown, { signal }: Request): boolean =>
  !(error instanceof Failure) && signal.aborted

/** The only place that turns an error into an HTTP response. */
export function answerFailure(error: unknown, request: Request): Response {
  if (isClientLeft(error, request)) return new Response(null, { status: clientLeft })
  const status = statusOfFailure(error)
  const headers: Record<string, string> = {
    ...plainHeaders,
    ...(leavesBodyUnread(request) && { connection: 'close' }),
    ...(error instanceof Failure && error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
  }
  if (request.headers.get('accept')?.includes('application/json'))
    return Response.json(toProblem(error), { status, headers: { ...headers, 'content-type': 'application/json' } })
  // The text that File Browser sent, which old clients print: the status line, and the reason only for 400.
  const reason = status === 400 ? ` (${messageOf(error)})` : ''
  return new Response(`${status} ${STATUS_CODES[status] ?? 'Checksum Mismatch'}${reason}\n`, { status, headers })
}

export const toProblem = (error: unknown): Problem => ({
  code: codeOf(error),
  message: messageOf(error),
  ...(error instanceof Failure && error.reason !== undefined && { reason: error.reason }),
  ...(error instanceof Failure && error.about !== undefined && { name: error.about }),
})

const codeOf = (error: unknown): FailureCode => (error instanceof Failure ? error.code : 'internal')

/** The message of another error may contain real paths, and goes to the log alone. */
const messageOf = (error: unknown): string =>
  error instanceof Failure ? error.message : 'Something went wrong on the server'

/** In bytes: as much of a refused upload is read, because many programs and proxies send all of it before they read. */
const readAnyway = 32 * 1_048_576

/** Whether the connection has to be closed: otherwise the runtime reads a refused upload to its end. */
function leavesBodyUnread(request: Request): boolean {
  if (request.body === null) return false
  const length = request.headers.get('content-length')
  // Without a length it is unknown how much is left.
  if (request.bodyUsed) return length === null
  return length === null || Number(length) > readAnyway
}
