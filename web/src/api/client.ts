import type { Credentials, FolderResource } from '@filestead/contract'

/** A refusal of the server, or `status` 0 when it could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    options?: ErrorOptions,
  ) {
    super(status === 0 ? 'No connection' : `The server answered ${status}`, options)
    this.name = 'ApiError'
  }
}

export type Api = ReturnType<typeof createApi>

/** Everything the client can ask of the server. Knows no React, no router and no toast. */
export function createApi(baseURL: string, token: () => string | null) {
  async function call(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = new Headers()
    const held = token()
    if (held !== null) headers.set('X-Auth', held)
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    const response = await fetch(`${baseURL}/api/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    }).catch((cause) => {
      throw new ApiError(0, { cause })
    })
    if (!response.ok) throw new ApiError(response.status)
    return response
  }

  return {
    sessions: {
      /** Answers the token of the new session. */
      signIn: async (credentials: Credentials) => (await call('POST', 'login', credentials)).text(),
      signOut: async () => void (await call('POST', 'logout')),
    },
    resources: {
      readRoot: async (): Promise<FolderResource> => (await call('GET', 'resources/')).json(),
    },
  }
}
