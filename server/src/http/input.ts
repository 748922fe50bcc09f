import { z } from 'zod'
import { Failure } from '../failure.ts'
import { bytesOf, type Form, lengthOf, textOf } from './body.ts'
import { withKnownNames } from './field-names.ts'
import type { Query } from './query.ts'
import type { RequestContext } from './request.ts'

/** A body of bytes. */
export interface BytesBody {
  readonly kind: 'bytes'
  readonly contentType: string
}

/** A form, with a description of every field. */
export interface FormBody {
  readonly kind: 'form'
  readonly fields: Readonly<Record<string, string>>
}

/** The body of a route: JSON of a schema, bytes, or a form. */
export type BodyKind = z.ZodType | BytesBody | FormBody

export const bytesBody = (contentType = 'application/octet-stream'): BytesBody => ({ kind: 'bytes', contentType })

export const formBody = (fields: FormBody['fields']): FormBody => ({ kind: 'form', fields })

export const isForm = (kind: BodyKind | undefined): kind is FormBody =>
  kind !== undefined && !(kind instanceof z.ZodType) && kind.kind === 'form'

/** The chunks of a body, and its Content-Length if there is one. */
export interface Incoming {
  readonly bytes: AsyncGenerator<Uint8Array>
  readonly length: number | undefined
}

export type QueryOf<Shape> = Shape extends z.ZodType ? z.output<Shape> : undefined

export type BodyOf<Kind> = Kind extends z.ZodType
  ? Promise<z.output<Kind>>
  : Kind extends FormBody
    ? Form
    : Kind extends BytesBody
      ? Incoming
      : undefined

/** Parses the query and body of one route's requests. */
export interface Input<QueryValues, Body> {
  query(raw: Query): QueryValues
  body(context: RequestContext): Body
}

/** Untyped here; `route` derives the types from the schemas. */
export const inputOf = (kinds: {
  query?: z.ZodType | undefined
  body?: BodyKind | undefined
  largestJson?: number | undefined
}): Input<unknown, unknown> => ({
  query: queryReader(kinds.query),
  body: bodyReader(kinds.body, kinds.largestJson),
})

function queryReader(shape: z.ZodType | undefined): (raw: Query) => unknown {
  if (shape === undefined) return () => undefined
  // Most queries are empty: parsed once.
  let ofEmpty: unknown
  const lists = listsIn(shape)
  return (raw) => {
    if (!raw.isEmpty) return parsed(shape, raw.entries(lists))
    ofEmpty ??= Object.freeze(parsed(shape, {}))
    return ofEmpty
  }
}

/** The fields whose names may be repeated. */
function listsIn(shape: z.ZodType): ReadonlySet<string> | undefined {
  if (!(shape instanceof z.ZodObject)) return undefined
  const isList = (field: unknown): boolean =>
    field instanceof z.ZodArray ||
    ((field instanceof z.ZodDefault || field instanceof z.ZodOptional) && isList(field.unwrap()))
  const names = Object.keys(shape.shape).filter((name) => isList(shape.shape[name]))
  return names.length === 0 ? undefined : new Set(names)
}

function bodyReader(kind: BodyKind | undefined, largestJson = usualJson): (context: RequestContext) => unknown {
  if (kind === undefined) return () => undefined
  if (kind instanceof z.ZodType) return (context) => jsonOf(context, kind, largestJson)
  if (isForm(kind)) return (context) => context.form
  return (context): Incoming => {
    requireWhole(context.request.headers)
    return { bytes: bytesOf(context), length: lengthOf(context) }
  }
}

/**
 * A part of a file, as `curl -C 500` sends it to continue an upload, would replace the whole. RFC 9110 asks for 400. With
 * `-C -` curl sends the whole file, an empty one from 0 to -1.
 */
function requireWhole(headers: Headers): void {
  const range = headers.get('content-range')
  if (range === null) return
  const [, last, length] = /^bytes 0-(-1|\d+)\/(\d+)$/.exec(range) ?? []
  if (length === undefined || Number(last) + 1 !== Number(length))
    throw new Failure('invalid', 'a file has to be sent whole, not from the middle; tus uploads can be continued')
}

const usualJson = 1 << 20

/** In bytes, where no account is needed: more than any name and password. */
export const largestFromAnyone = 64 << 10

async function jsonOf(context: RequestContext, shape: z.ZodType, largest: number): Promise<unknown> {
  return parsed(shape, withKnownNames(parseJson(await textOf(context, largest)), shape))
}

function parsed(shape: z.ZodType, value: unknown): unknown {
  const result = shape.safeParse(value)
  if (!result.success) throw new Failure('invalid', reasonOf(result.error))
  return result.data
}

function parseJson(text: string): unknown {
  requireFewValues(text)
  return withoutNulls(unchecked(text))
}

function unchecked(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure('invalid', 'the body is not JSON')
  }
}

/** More brackets within brackets are in no request. The parser takes seconds for millions of them, and blocks the event loop. */
const deepest = 50_000
/** Of brackets and commas: more than any list that a schema takes has. So does the schema with each value, above all one that is wrong. */
const mostValues = 200_000
/** Of one object: more than any schema takes, which tells that of a list at once, and of an object only when it has looked at all. */
const mostFields = 20_000

/** Counted before they are parsed. */
function requireFewValues(text: string): void {
  if (text.length <= deepest) return
  let [depth, values, isInText] = [0, 0, false]
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (isInText && character === '\\') at += 1
    else if (character === '"') isInText = !isInText
    else if (isInText) continue
    else if (character === ',') values += 1
    else if (character === '[' || character === '{') [depth, values] = [depth + 1, values + 1]
    else if (character === ']' || character === '}') depth -= 1
    if (depth > deepest) throw new Failure('invalid', 'the body is nested too deeply')
    if (values > mostValues) throw new Failure('too-large', `The body has more than ${mostValues} values`)
  }
}

/**
 * Null fields count as missing, as they did in File Browser. A reviver of `JSON.parse` would take ten times as long as the
 * parser, and a million fields would block the event loop.
 */
function withoutNulls(value: unknown): unknown {
  const whole: Record<string, unknown> = { value }
  const found: unknown[] = [whole]
  for (const each of found) {
    if (Array.isArray(each)) {
      for (const item of each) if (typeof item === 'object') found.push(item)
      continue
    }
    const object = each as Record<string, unknown>
    let count = 0
    for (const name in object) {
      count += 1
      if (count > mostFields)
        throw new Failure('too-large', `The body has an object with more than ${mostFields} fields`)
      const field = object[name]
      if (field === null) delete object[name]
      else if (typeof field === 'object') found.push(field)
    }
  }
  return whole.value
}

function reasonOf(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return 'the request does not fit'
  // A message about the whole is a sentence of its own.
  const isOfWhole = issue.code === 'custom' && issue.path.length === 0
  return isOfWhole ? issue.message : `${issue.path.join('.') || 'body'}: ${issue.message}`
}
