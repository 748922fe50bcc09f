import type { Credentials, Permission, SessionInfo, TokenUser } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { watched } from '../state/watched.ts'
import { ApiError, call, getJson, openGate, tellLost } from './client.ts'
import { startSettings } from './start-settings.ts'

/** The key under which the predecessor's client kept it, so that open browsers stay signed in. */
const storageKey = 'jwt'

export interface Session {
  user: TokenUser
  token: string
  /** Unix seconds, by the clock of this browser. */
  expires: number
}

const session = watched<Session | null>(null)

export const currentSession = session.get

export const useSession = session.use

export const watchSession = session.subscribe

/** The person at the keyboard. Only for screens behind the sign-in. */
export function useUser(): TokenUser {
  const held = useSession()
  if (held === null) throw new Error('Nobody is signed in')
  return held.user
}

/** May the person do this? An administrator may do everything. */
export function can(permission: Permission): boolean {
  const perm = session.get()?.user.perm
  return perm !== undefined && (perm.admin || perm[permission])
}

export function adoptToken(token: string): void {
  const held = sessionOf(token)
  localStorage.setItem(storageKey, token)
  session.set(held)
}

export function forgetSession(): void {
  localStorage.removeItem(storageKey)
  session.set(null)
}

export async function signIn(credentials: Credentials): Promise<void> {
  const response = await call('POST', 'login', { body: credentials, isPublic: true })
  adoptToken(await response.text())
}

export async function signUp(credentials: { username: string; password: string }): Promise<void> {
  await call('POST', 'signup', { body: credentials, isPublic: true })
}

export async function signOut(): Promise<void> {
  const token = session.get()?.token
  forgetSession()
  if (token !== undefined)
    await call('POST', 'logout', { headers: { 'X-Auth': token }, isPublic: true }).catch(() => {})
}

let renewal: Promise<void> | null = null

/** A fresh token for the present session; asked for once, however many answers wish for it. */
export function renew(): Promise<void> {
  renewal ??= (async () => {
    const token = session.get()?.token
    const response = await call('POST', 'renew')
    const next = await response.text().catch(tellLost)
    // Who has signed out meanwhile stays signed out, and who has signed in stays who they are.
    if (session.get()?.token === token) adoptToken(next)
  })().finally(() => {
    renewal = null
  })
  return renewal
}

/** Finds out who is here, once, before the first screen. Failing only means that somebody has to sign in. */
export async function resumeSession(): Promise<void> {
  if (!startSettings.LoginPage) return void (await enterAnew())
  const token = localStorage.getItem(storageKey)
  if (token === null || token === '') return
  try {
    adoptToken(token)
  } catch {
    return forgetSession()
  }
  // A token that is refused is forgotten by then. One that could not be shown to anybody may well be good.
  await renew().catch(() => {})
}

let entering: Promise<boolean> | null = null

/**
 * The token is no longer taken, or its time is up. Where people sign in by hand they have to do it again; where another
 * system says who they are, or everybody is let in, that is asked anew. Answers whether somebody is signed in now.
 */
export function enterAnew(): Promise<boolean> {
  if (startSettings.LoginPage) {
    forgetSession()
    return Promise.resolve(false)
  }
  entering ??= signIn({ username: '', password: '', recaptcha: '' })
    .then(
      () => true,
      (error) => {
        const isRefused = !(error instanceof ApiError && error.status === 0)
        if (isRefused) forgetSession()
        return false
      },
    )
    .finally(() => {
      entering = null
    })
  return entering
}

// All tabs share one cookie, so they share one session: what another tab renews, begins or ends counts here too.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key !== storageKey || newValue === session.get()?.token) return
  if (newValue) session.set(sessionOf(newValue))
  else if (startSettings.LoginPage) session.set(null)
})

/** Preferences change what the session's user looks like before the next token says so. */
export function amendUser(change: Partial<TokenUser>): void {
  const held = session.get()
  if (held !== null) session.set({ ...held, user: { ...held.user, ...change } })
}

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => getJson<SessionInfo[]>('sessions', { signal }),
  })

export const endSession = async (id: string): Promise<void> =>
  void (await call('DELETE', `sessions/${encodeURIComponent(id)}`))

export const endOtherSessions = async (): Promise<void> => void (await call('DELETE', 'sessions'))

openGate({
  token: () => session.get()?.token ?? null,
  onRenewalWanted: () => void renew().catch(() => {}),
  onRefused: enterAnew,
})

/** How long it lasts is the server's word; when that is over, this browser's clock tells, right or wrong. */
function sessionOf(token: string): Session {
  const { user, exp, iat } = readPayload(token)
  return { user, token, expires: Date.now() / 1000 + exp - iat }
}

function readPayload(token: string): { user: TokenUser; exp: number; iat: number } {
  const part = token.split('.')[1]
  if (part === undefined) throw new Error('This is not a token')
  const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
