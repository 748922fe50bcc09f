import { STATUS_CODES } from 'node:http'
import { compressed } from './compress.ts'
import type { RequestContext } from './request.ts'

const apiHeaders = {
  'cache-control': 'no-cache, no-store, must-revalidate',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

export const plainHeaders = { ...apiHeaders, 'content-type': 'text/plain; charset=utf-8' }
export const jsonHeaders = { ...apiHeaders, 'content-type': 'application/json; charset=utf-8' }
export const binaryHeaders = { ...apiHeaders, 'content-type': 'application/octet-stream' }

/** "200 OK" as text, as File Browser answered a change. */
export function done(status = 200, headers: Record<string, string> = {}): Response {
  const body = status === 204 ? null : `${status} ${STATUS_CODES[status]}\n`
  return new Response(body, { status, headers: { ...plainHeaders, ...headers } })
}

export const plain = (text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, { headers: { ...plainHeaders, ...headers } })

export const json = (value: unknown, context: RequestContext, headers: Record<string, string> = {}): Response =>
  compressed(JSON.stringify(value), context, { ...jsonHeaders, ...headers })

/** 202 with what goes on, and where it can be asked for. */
export const accepted = (value: unknown, location: string): Response =>
  new Response(JSON.stringify(value), { status: 202, headers: { ...jsonHeaders, location } })

/** 201 with what was made. */
export const created = (value: unknown): Response =>
  new Response(JSON.stringify(value), { status: 201, headers: jsonHeaders })
