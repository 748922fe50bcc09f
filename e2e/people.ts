import { expect, type Page } from '@playwright/test'
import type { Product } from './product.ts'

/** Asks the server directly, as the administrator: to prepare, and to see what was really stored. */
export async function callApi(product: Product, method: string, path: string, body?: unknown): Promise<Response> {
  const answer = await fetch(new URL(`api/${path}`, product.url), {
    method,
    headers: { 'X-Auth': await product.token() },
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
  return answer
}

/** Changes preferences of the administrator, the first user. */
export async function prefer(product: Product, preferences: object): Promise<void> {
  const which = Object.keys(preferences)
  await callApi(product, 'PUT', 'users/1', { what: 'user', which, data: { id: 1, ...preferences } })
}

/** A user with all permissions but that of an administrator, unless `more` says otherwise. Answers the id. */
export async function addUser(
  product: Product,
  username: string,
  password: string,
  more: object = {},
): Promise<number> {
  await removeUser(product, username)
  const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
  const answer = await callApi(product, 'POST', 'users', {
    what: 'user',
    which: [],
    current_password: product.password,
    data: { username, password, scope: '/', locale: 'en', perm, ...more },
  })
  return Number(answer.headers.get('location')?.split('/').at(-1))
}

/** Two tests that share a server may both know a "reader". */
async function removeUser(product: Product, username: string): Promise<void> {
  const users = (await (await callApi(product, 'GET', 'users')).json()) as { id: number; username: string }[]
  const known = users.find((user) => user.username === username)
  if (known === undefined) return
  await callApi(product, 'DELETE', `users/${known.id}`, { current_password: product.password })
}

export async function signInAs(page: Page, product: Product, username: string, password: string): Promise<void> {
  await page.goto(new URL('login', product.url).href)
  await page.getByRole('textbox', { name: 'Username' }).fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
  // A dialog that opens after the sign-in hides everything behind it from the roles.
  await expect(page.getByRole('button', { name: 'Logout', includeHidden: true })).toBeVisible()
}
