import type { Ask } from './server.ts'

export const pieceType = 'application/offset+octet-stream'

/** The requests of a tus client, one by one. */
export function tusOf(ask: Ask) {
  const at = (path: string) => `/api/tus${path}`
  return {
    create: (path: string, length: number | string | undefined, headers: Record<string, string> = {}) =>
      ask(at(path), {
        method: 'POST',
        headers: { ...(length !== undefined && { 'upload-length': String(length) }), ...headers },
      }),
    append: (
      path: string,
      offset: number | string,
      body: NonNullable<RequestInit['body']>,
      headers: Record<string, string> = {},
    ) =>
      ask(at(path), {
        method: 'PATCH',
        body,
        headers: { 'content-type': pieceType, 'upload-offset': String(offset), ...headers },
      }),
    head: (path: string, headers: Record<string, string> = {}) => ask(at(path), { method: 'HEAD', headers }),
    cancel: (path: string) => ask(at(path), { method: 'DELETE' }),
    /** The offset, or the status where there is none. */
    async offset(path: string): Promise<number | string> {
      const response = await ask(at(path), { method: 'HEAD' })
      return response.status === 200 ? Number(response.headers.get('upload-offset')) : `status ${response.status}`
    },
  }
}

export const encoded = (text: string): string => Buffer.from(text).toString('base64')
