import type { Ask } from './server.ts'

/** The JSON of a successful answer. */
export async function jsonIn<T>(pending: Promise<Response>): Promise<T> {
  return (await (await successful(pending)).json()) as T
}

export async function bytesIn(pending: Promise<Response>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await successful(pending)).arrayBuffer())
}

export async function statusOf(pending: Promise<Response>): Promise<number> {
  const response = await pending
  await response.arrayBuffer()
  return response.status
}

/** The names that the listing of a folder shows, sorted. */
export async function namesIn(ask: Ask, folder: string): Promise<string[]> {
  const { items } = await jsonIn<{ items: { name: string }[] }>(ask(`/api/resources${folder}`))
  return items.map(({ name }) => name).sort()
}

async function successful(pending: Promise<Response>): Promise<Response> {
  const response = await pending
  if (!response.ok) throw new Error(`answered ${response.status} ${await response.text()}`)
  return response
}
