import type { FailureCode } from '@filestead/contract'

interface FailureOptions extends ErrorOptions {
  /** After how many seconds another try makes sense. */
  retryAfter?: number
}

/** The request was understood and could not be carried out. Knows nothing of HTTP. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly retryAfter: number | undefined

  constructor(
    readonly code: FailureCode,
    message: string,
    options?: FailureOptions,
  ) {
    super(message, options)
    this.retryAfter = options?.retryAfter
  }
}

export const isFailure = (error: unknown, code: FailureCode): error is Failure =>
  error instanceof Failure && error.code === code
