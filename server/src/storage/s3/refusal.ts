import type { FailureCode } from '@filestead/contract'
import { Failure } from '../../failure.ts'
import { type Element, parseXml, textOf } from './xml.ts'

/** What an S3 server answered instead of doing it, or that it did not answer. Its own texts stay out: they may tell of keys. */
export class S3Refusal extends Failure {
  constructor(
    /** 0 where there was no answer. */
    readonly status: number,
    /** 'NoSuchKey' and the like; of an answer without a body, and of none, our own. */
    readonly word: string,
    options: { cause?: unknown; region?: string | undefined; date?: number | undefined } = {},
  ) {
    super(codeOf(status, word), sentenceOf(status, word), { cause: options.cause })
    this.region = options.region
    this.date = options.date
  }

  /** Where the bucket really is, if the server tells. */
  readonly region: string | undefined
  /** The clock of the server, in milliseconds since 1970. */
  readonly date: number | undefined

  /** Whether it was done all the same is not known. */
  get isUncertain(): boolean {
    return this.status === 0 || [500, 502, 504].includes(this.status)
  }

  /** Another try may succeed. */
  get isPassing(): boolean {
    return this.isUncertain || this.status === 503 || this.status === 429 || passing.has(this.word)
  }
}

const passing: ReadonlySet<string> = new Set([
  'SlowDown',
  'RequestTimeout',
  'OperationAborted',
  'ConditionalRequestConflict',
  'RequestTimeTooSkewed',
])

const full: ReadonlySet<string> = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage', 'StorageFull'])

function codeOf(status: number, word: string): FailureCode {
  if (full.has(word) || status === 507) return 'no-space'
  if (status === 404) return 'not-found'
  if (status === 412) return 'changed-meanwhile'
  if (word === 'KeyTooLongError') return 'invalid'
  if (word === 'EntityTooLarge') return 'too-large'
  return 'unavailable'
}

function sentenceOf(status: number, word: string): string {
  if (full.has(word) || status === 507) return 'The object storage has not enough space'
  if (status === 404) return 'There is no such file or folder'
  if (status === 412) return 'The file was changed meanwhile'
  if (word === 'KeyTooLongError') return 'the path is too long for the object storage'
  if (word === 'EntityTooLarge') return 'The file is too large for the object storage'
  if (status === 403) return `The object storage refuses access (${word}): check its keys and what they may do`
  if (status === 0) return 'The object storage does not answer; try again later'
  return `The object storage could not do it (${word}); try again later`
}

export const isRefusal = (error: unknown, ...statuses: readonly number[]): error is S3Refusal =>
  error instanceof S3Refusal && statuses.includes(error.status)

export const isWord = (error: unknown, ...words: readonly string[]): error is S3Refusal =>
  error instanceof S3Refusal && words.includes(error.word)

/** Of an answer that is no success. `text` is its body. */
export function refusalIn(response: Response, text: string): S3Refusal {
  const { status, headers } = response
  const body = elementIn(text)
  const region = headers.get('x-amz-bucket-region') ?? ((body && textOf(body, 'Region')) || undefined)
  const date = Date.parse(headers.get('date') ?? '')
  const word = (body && wordIn(body)) ?? `status ${status}`
  return new S3Refusal(status, word, { region, date: Number.isNaN(date) ? undefined : date })
}

/** Some calls begin to answer before they know: a success in whose body there is an error. */
export function requireSuccess(element: Element): Element {
  if (element.name !== 'Error') return element
  const word = wordIn(element) ?? 'InternalError'
  throw new S3Refusal(statuses[word] ?? 500, word)
}

/** It is shown to people: a text, of a proxy in between or worse, would not be a word. */
function wordIn(error: Element): string | undefined {
  const told = textOf(error, 'Code')
  return /^\w{1,64}$/.test(told) ? told : undefined
}

const statuses: Readonly<Record<string, number>> = {
  PreconditionFailed: 412,
  ConditionalRequestConflict: 409,
  NoSuchUpload: 404,
  NoSuchKey: 404,
  AccessDenied: 403,
}

function elementIn(text: string): Element | undefined {
  try {
    return parseXml(text.trim())
  } catch {
    return undefined
  }
}
