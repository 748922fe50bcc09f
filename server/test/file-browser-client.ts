import { jsonIn } from './answers.ts'
import { password, startServer, type TestServer } from './server.ts'

/** The requests of the last web client of File Browser: its headers, its encodings, its cookie. */
export interface FileBrowserClient {
  readonly token: string
  /** As the `fetch` wrapper of the client: the token in X-Auth, with the cookie beside it. */
  ask(path: string, init?: RequestInit): Promise<Response>
  /** Requests of the browser itself: images, videos and downloads carry only the cookie. */
  browse(path: string, headers?: Record<string, string>): Promise<Response>
  renew(): Promise<void>
}

export async function signInAsFileBrowser(url: string, username: string, password: string): Promise<FileBrowserClient> {
  const response = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password, recaptcha: '' }),
  })
  if (response.status !== 200) throw new Error(`signing in answered ${response.status}`)
  let token = await response.text()
  const client: FileBrowserClient = {
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

/** A path for a query: each name encoded, then the whole path once more. */
export const encodedTwice = (path: string): string =>
  encodeURIComponent(path.split('/').map(encodeURIComponent).join('/'))

export interface ServerWithClients {
  readonly server: TestServer
  readonly admin: FileBrowserClient
  readonly ann: FileBrowserClient
}

/** A server with an administrator and a user, both signed in with the client of File Browser. */
export async function startServerWithClients(): Promise<ServerWithClients> {
  const server = await startServer({ disableExec: false })
  await server.addUser('admin', { isAdmin: true })
  await server.addUser('ann', { commands: ['echo', 'pwd'] })
  const [admin, ann] = [
    await signInAsFileBrowser(server.url, 'admin', password),
    await signInAsFileBrowser(server.url, 'ann', password),
  ]
  return { server, admin, ann }
}

export interface Listing {
  items: { name: string; path: string; isDir: boolean }[]
}

export const namesIn = async (client: FileBrowserClient, path: string): Promise<string[]> =>
  (await jsonIn<Listing>(client.ask(path))).items.map(({ name }) => name)

/** The claims that the client reads in its token: the user and the expiry. */
export const payloadOf = (token: string): { user: { id: number }; exp: number } =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
