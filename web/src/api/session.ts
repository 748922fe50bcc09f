import type { Credentials, Permission, SessionInfo, TokenUser } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { claimStorage, note, releaseStorage, wasSignedOut } from '../state/personal-storage.ts'
import { type Ending, endScope, scopeNumber } from '../state/session-scope.ts'
import { watched } from '../state/watched.ts'
import { ApiError, call, getJson, openGate, tellLost } from './client.ts'
import { startSettings } from './start-settings.ts'

/** The key under which the predecessor's client kept it, so that open browsers stay signed in. */
const storageKey = 'jwt'

export interface Session {
  user: TokenUser
  token: string
  /** The server's name of the session. Tokens from before the move carry none until they are renewed. */
  id: string | null
  /** Unix seconds, by the clock of this browser. */
  expires: number
  /** Which session of this page it is. */
  scope: number
}

type Claims = Omit<Session, 'scope'>

const session = watched<Session | null>(null)

export const currentSession = session.get

export const useSession = session.use

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
  void change(held)
}

/** Tabs share one token: one that another tab has renewed since is not this tab's to remove. */
export function forgetSession(ending: Ending = 'cut-off'): Promise<unknown> {
  const token = session.get()?.token
  const stored = localStorage.getItem(storageKey)
  if (ending === 'signed-out' || token === undefined || stored === token) localStorage.removeItem(storageKey)
  return change(null, ending)
}

/**
 * The one place where the session changes. Where it is not the same one that goes on, all work of the old one is
 * stopped and everything it left in the page is gone before any component hears of the new one.
 */
function change(next: Claims | null, ending: Ending = 'cut-off'): Promise<unknown> {
  const held = session.get()
  let removal: Promise<unknown> = Promise.resolve()
  if (!isSameSession(held, next)) {
    endScope(ending)
    if (ending === 'signed-out') removal = releaseStorage()
    notePerson(held, next, ending)
    if (next !== null) claimStorage(`${startSettings.BaseURL}#${next.user.id}`)
  }
  session.set(next === null ? null : { ...next, scope: scopeNumber() })
  return removal
}

function isSameSession(one: Claims | null, other: Claims | null): boolean {
  if (one === null || other === null) return one === other
  if (one.user.id !== other.user.id) return false
  // Where another system says who somebody is, the same person goes on although the token had to be asked for anew.
  return !startSettings.LoginPage || one.id === null || other.id === null || one.id === other.id
}

/** Who was cut off in this tab, whose address still names what they looked at. */
const cutOffKey = 'filestead.cut-off'
let hasOtherAddress = false

function notePerson(held: Claims | null, next: Claims | null, ending: Ending): void {
  const before = held === null ? sessionStorage.getItem(cutOffKey) : String(held.user.id)
  hasOtherAddress = next !== null && before !== null && before !== String(next.user.id)
  if (next === null && ending === 'cut-off' && before !== null) note(sessionStorage, cutOffKey, before)
  else sessionStorage.removeItem(cutOffKey)
}

/** Does the address of this tab lead to what another person was looking at? */
export const isOthersAddress = (): boolean => hasOtherAddress

export async function signIn(credentials: Credentials, signal?: AbortSignal): Promise<void> {
  const response = await call('POST', 'login', { body: credentials, isPublic: true, ...(signal && { signal }) })
  adoptToken(await response.text())
}

export async function signUp(credentials: { username: string; password: string }): Promise<void> {
  await call('POST', 'signup', { body: credentials, isPublic: true })
}

export async function signOut(): Promise<void> {
  const token = session.get()?.token
  const removal = forgetSession('signed-out')
  if (token !== undefined)
    await call('POST', 'logout', { headers: { 'X-Auth': token }, isPublic: true }).catch(() => {})
  await removal
}

let renewal: Promise<void> | null = null

/** A fresh token for the present session; asked for once, however many answers wish for it. */
export function renew(signal?: AbortSignal): Promise<void> {
  renewal ??= (async () => {
    const held = session.get()
    const response = await call('POST', 'renew', signal && { signal })
    const next = await response.text().catch(tellLost)
    // Who has signed out meanwhile stays signed out, and who has signed in stays who they are.
    if (held === null || session.get()?.token !== held.token) return
    const renewed = sessionOf(next)
    localStorage.setItem(storageKey, next)
    // Whatever name the server gives it now: the answer to a renewal is the session that was renewed.
    void change({ ...renewed, id: renewed.user.id === held.user.id ? (held.id ?? renewed.id) : renewed.id })
  })().finally(() => {
    renewal = null
  })
  return renewal
}

/**
 * Finds out who is here, before the first screen. Failing only means that somebody has to sign in. Answers false when
 * the server has said nothing for that many milliseconds.
 */
export async function resumeSession(patience: number): Promise<boolean> {
  const limit = AbortSignal.timeout(patience)
  if (!startSettings.LoginPage) return (await enterAnew(limit)) || !limit.aborted
  const token = localStorage.getItem(storageKey)
  if (token === null || token === '') return true
  try {
    adoptToken(token)
  } catch {
    void forgetSession()
    return true
  }
  // A token that is refused is forgotten by then. One that could not be shown to anybody may well be good.
  return renew(limit).then(
    () => true,
    () => !limit.aborted,
  )
}

let entering: Promise<boolean> | null = null

/**
 * The token is no longer taken, or its time is up. Where people sign in by hand they have to do it again; where another
 * system says who they are, or everybody is let in, that is asked anew. Answers whether somebody is signed in now.
 */
export function enterAnew(signal?: AbortSignal): Promise<boolean> {
  if (startSettings.LoginPage) {
    if (takeStored()) return Promise.resolve(true)
    void forgetSession()
    return Promise.resolve(false)
  }
  entering ??= signIn({ username: '', password: '', recaptcha: '' }, signal)
    .then(
      () => true,
      (error) => {
        const isRefused = !(error instanceof ApiError && error.status === 0)
        if (isRefused) void forgetSession()
        return false
      },
    )
    .finally(() => {
      entering = null
    })
  return entering
}

// All tabs share one cookie, so they share one session: what another tab renews, begins or ends counts here too.
window.addEventListener('storage', ({ key }) => {
  // By the time it is heard the news may be old: what counts is what is stored now.
  if (key !== storageKey || takeStored() || localStorage.getItem(storageKey)) return
  if (startSettings.LoginPage) void change(null, wasSignedOut() ? 'signed-out' : 'cut-off')
})

/** Takes the token that another tab has stored, where it is not the one of this tab. A tab that slept has heard nothing. */
export function takeStored(): boolean {
  const stored = localStorage.getItem(storageKey)
  if (!stored || stored === session.get()?.token) return false
  try {
    void change(sessionOf(stored))
    return true
  } catch {
    return false
  }
}

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
  onRefused: () => enterAnew(),
})

/** How long it lasts is the server's word; when that is over, this browser's clock tells, right or wrong. */
function sessionOf(token: string): Claims {
  const { user, sid, exp, iat } = readPayload(token)
  return { user, token, id: sid ?? null, expires: Date.now() / 1000 + exp - iat }
}

function readPayload(token: string): { user: TokenUser; sid?: string; exp: number; iat: number } {
  const part = token.split('.')[1]
  if (part === undefined) throw new Error('This is not a token')
  const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
