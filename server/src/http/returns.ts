import type { z } from 'zod'

/** The successful answer of a route, for the API description and its test. */
export interface Returns {
  readonly status: number
  readonly description: string
  readonly contentType?: string
  /** The schema of a JSON answer. */
  readonly schema?: z.ZodType
  /** Other statuses of success. */
  readonly also?: Readonly<Record<number, string>>
}

export const returnsJson = (schema: z.ZodType, description: string, also?: Returns['also']): Returns => ({
  status: 200,
  description,
  contentType: 'application/json',
  schema,
  ...(also && { also }),
})

/** What was made, with 201. */
export const returnsCreated = (schema: z.ZodType, description: string): Returns => ({
  ...returnsJson(schema, description),
  status: 201,
})

const text = 'text/plain'

/** "200 OK" as text, the answer to a change. */
export const returnsStatusLine = (more = '', status = 200): Returns => ({
  status,
  description: `The status line as text${more}`,
  contentType: text,
})

export const returnsText = (description: string): Returns => ({ status: 200, description, contentType: text })

export const returnsNothing = (description = 'No content'): Returns => ({ status: 204, description })

export const returnsBytes = (description: string, contentType = 'application/octet-stream'): Returns => ({
  status: 200,
  description,
  contentType,
})

/** A file, which supports ranges and conditional requests. */
export const returnsFile = (description: string): Returns => ({
  ...returnsBytes(description),
  also: { 206: 'The part that the header Range asks for', 304: 'The client has this version' },
})
