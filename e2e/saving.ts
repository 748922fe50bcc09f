import type { Product } from './product.ts'

/** Asks the server as the administrator. */
export async function ask(product: Product, method: string, path: string, body?: string | object): Promise<Response> {
  const answer = await fetch(new URL(`api/${path}`, product.url), {
    method,
    headers: { 'X-Auth': await product.token() },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** Saves a file with each of these contents, one after the other: all but the last become versions. */
export async function saveInTurn(product: Product, path: string, ...contents: string[]): Promise<void> {
  for (const content of contents) await ask(product, 'PUT', `resources/${path}`, content)
}

/** Deletes as a client of the API does. */
export const remove = (product: Product, path: string): Promise<Response> => ask(product, 'DELETE', `resources/${path}`)
