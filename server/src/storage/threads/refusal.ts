import type { FailureCode } from '@filestead/contract'
import { Failure } from '../../failure.ts'
import { codeOf, Errno } from '../linux/errno.ts'
import { LeadsElsewhere, LinkInTheWay } from '../port.ts'

/** An error on its way between threads, which share no classes. */
export type Refusal =
  | { kind: 'link' }
  | { kind: 'elsewhere'; location: string }
  | { kind: 'failure'; code: FailureCode; message: string; retryAfter: number | undefined; errno: string | undefined }
  | { kind: 'error'; name: string; message: string; stack: string | undefined; errno: string | undefined }

export function refusalOf(error: unknown): Refusal {
  if (error instanceof LinkInTheWay) return { kind: 'link' }
  if (error instanceof LeadsElsewhere) return { kind: 'elsewhere', location: error.location }
  if (error instanceof Failure) {
    const { code, message, retryAfter } = error
    return { kind: 'failure', code, message, retryAfter, errno: codeOf(error.cause) }
  }
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'error', name, message, stack, errno: codeOf(error) }
}

export function errorOf(refusal: Refusal): Error {
  if (refusal.kind === 'link') return new LinkInTheWay()
  if (refusal.kind === 'elsewhere') return new LeadsElsewhere(refusal.location)
  const cause = refusal.errno === undefined ? undefined : new Errno(refusal.errno, 'storage')
  if (refusal.kind === 'failure') {
    const { code, message, retryAfter } = refusal
    return new Failure(code, message, { ...(cause && { cause }), ...(retryAfter !== undefined && { retryAfter }) })
  }
  const error = Object.assign(new Error(refusal.message), { name: refusal.name })
  if (refusal.stack !== undefined) error.stack = refusal.stack
  if (refusal.errno !== undefined) Object.assign(error, { code: refusal.errno })
  return error
}
