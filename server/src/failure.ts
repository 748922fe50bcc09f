import type { FailureCode } from '@filestead/contract'

interface FailureOptions extends ErrorOptions {
  /** After how many seconds another try makes sense. */
  retryAfter?: number
  /** One of the words that a contract has for it, and the name of the entry that it is about. */
  reason?: string
  about?: string
}

/** The request was understood and could not be carried out. Knows nothing of HTTP. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly retryAfter: number | undefined
  readonly reason: string | undefined
  readonly about: string | undefined

  constructor(
    readonly code: FailureCode,
    message: string,
    options?: FailureOptions,
  ) {
    super(message, options)
    this.retryAfter = options?.retryAfter
    this.reason = options?.reason
    this.about = options?.about
  }
}

export const isFailure = (error: unknown, ...codes: readonly FailureCode[]): error is Failure =>
  error instanceof Failure && codes.includes(error.code)

/** To catch with: such failures leave nothing, all other errors go on. */
export const ignoring =
  (...codes: readonly FailureCode[]) =>
  (error: unknown): undefined => {
    if (!isFailure(error, ...codes)) throw error
  }
