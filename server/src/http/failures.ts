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

/** Every refusal of the product becomes an HTTP answer here and nowhere else. */
export function answerFailure(error: unknown, request: Request): Response {
  const status = statusOfFailure(error)
  const headers: Record<string, string> = {
    ...plainHeaders,
    ...(leavesBodyUnread(request) && { connection: 'close' }),
    ...(error instanceof Failure && error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
  }
  if (request.headers.get('accept')?.includes('application/json'))
    return Response.json(toProblem(error), { status, headers: { ...headers, 'content-type': 'application/json' } })
  // Old clients print the body as it is: the status line, and only for 400 the reason.
  const reason = status === 400 ? ` (${messageOf(error)})` : ''
  return new Response(`${status} ${STATUS_CODES[status] ?? 'Checksum Mismatch'}${reason}\n`, { status, headers })
}

export const toProblem = (error: unknown): Problem => ({ code: codeOf(error), message: messageOf(error) })

const codeOf = (error: unknown): FailureCode => (error instanceof Failure ? error.code : 'internal')

/** An error that is no Failure may name real paths; only the log gets it. */
const messageOf = (error: unknown): string =>
  error instanceof Failure ? error.message : 'Something went wrong on the server'

/** In bytes. So much of a refused upload is let in: many programs and proxies send everything before they read. */
const worthTaking = 32 * 1_048_576

/** Without closing, the runtime would read a refused upload to its end before the next request gets its turn. */
function leavesBodyUnread(request: Request): boolean {
  if (request.body === null) return false
  const length = request.headers.get('content-length')
  // Without a length it is unknown how much was left when it was refused.
  if (request.bodyUsed) return length === null
  return length === null || Number(length) > worthTaking
}
