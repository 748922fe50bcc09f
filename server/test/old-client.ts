import { jsonIn } from './answers.ts'
import { password, startServer, type TestServer } from './server.ts'

/** How the last web client of File Browser speaks: its headers, its encodings, its cookie. */
export interface OldClient {
  readonly token: string
  /** As the client's own `fetch` wrapper: the token in X-Auth, and nobody minds the cookie beside it. */
  ask(path: string, init?: RequestInit): Promise<Response>
  /** What the browser itself asks for: pictures, films and downloads come with the cookie alone. */
  browse(path: string, headers?: Record<string, string>): Promise<Response>
  renew(): Promise<void>
}

export async function signInAsBefore(url: string, username: string, password: string): Promise<OldClient> {
  const response = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password, recaptcha: '' }),
  })
  if (response.status !== 200) throw new Error(`signing in answered ${response.status}`)
  let token = await response.text()
  const client: OldClient = {
    get token() {
      return token
    },
    ask: (path, init) =>
      fetch(url + path, { ...init, headers: { 'X-Auth': token, cookie: `auth=${token}`, ...init?.headers } }),
    browse: (path, headers) => fetch(url + path, { headers: { cookie: `auth=${token}`, ...headers } }),
    async renew() {
      const renewed = await client.ask('/api/renew', { method: 'POST' })
      if (renewed.status !== 200) throw new Error(`renewing answered ${renewed.status}`)
      token = await renewed.text()
    },
  }
  return client
}

/** The body of every change to a user. */
export const userChange = (which: string[], data: object, currentPassword: string): string =>
  JSON.stringify({ what: 'user', which, current_password: currentPassword, data })

/** A path on its way into a query: each name encoded, then all of it once more. */
export const twice = (path: string): string => encodeURIComponent(path.split('/').map(encodeURIComponent).join('/'))

export interface OldPlace {
  readonly server: TestServer
  readonly admin: OldClient
  readonly ann: OldClient
}

/** A server with an administrator and a user, both at work with the client of File Browser. */
export async function openOldPlace(): Promise<OldPlace> {
  const server = await startServer({ disableExec: false })
  await server.addUser('admin', { isAdmin: true })
  await server.addUser('ann', { commands: ['echo', 'pwd'] })
  const [admin, ann] = [
    await signInAsBefore(server.url, 'admin', password),
    await signInAsBefore(server.url, 'ann', password),
  ]
  return { server, admin, ann }
}

export interface Listing {
  items: { name: string; path: string; isDir: boolean }[]
}

export const namesIn = async (client: OldClient, path: string): Promise<string[]> =>
  (await jsonIn<Listing>(client.ask(path))).items.map(({ name }) => name)

/** What the client reads in its token: the user, and when to sign out. */
export const payloadOf = (token: string): { user: { id: number }; exp: number } =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
