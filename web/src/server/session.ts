import type { Credentials, Permission, TokenUser } from '@filestead/contract'
import { claimStorage, note, releaseStorage, wasSignedOut } from '../state/personal-storage.ts'
import { currentScope, type Ending, endScope, perSession } from '../state/session-scope.ts'
import { createStore } from '../state/store.ts'
import { ApiError, call, provideAuthentication, throwConnectionLost } from './client.ts'
import { startSettings } from './start-settings.ts'

/** The key of the predecessor's client, so that browsers which are signed in stay signed in. */
const storageKey = 'jwt'

export interface Session {
  user: TokenUser
  /** Null for a guest, whose requests carry none. */
  token: string | null
  /** The server's name of the session. Tokens from before the move carry none until they are renewed. */
  id: string | null
  /** Unix seconds, by the clock of this browser. */
  expires: number
  /** Which session of this page it is. */
  scope: number
}

type Claims = Omit<Session, 'scope'>

const session = createStore<Session | null>(null)

export const currentSession = session.get

export const useSession = session.use

/** Calls the listener after each change of the session. One that subscribes before the first screen is called before it. */
export const onSession = session.subscribe

const mayChange = startSettings.ReadOnly !== true

/** Grants say what guests may do; what belongs to an account, guests do not have. */
const guest: Claims = {
  user: {
    id: 0,
    username: 'guest',
    locale: '',
    viewMode: 'list',
    singleClick: false,
    redirectAfterCopyMove: true,
    perm: {
      ...{ admin: false, execute: false, share: false, download: true },
      ...{ create: mayChange, rename: mayChange, modify: mayChange, delete: mayChange },
    },
    commands: [],
    lockPassword: true,
    hideDotfiles: false,
    dateFormat: false,
    aceEditorTheme: '',
  },
  token: null,
  id: null,
  expires: Number.POSITIVE_INFINITY,
}

/** Goes on without signing in, where the server lets guests in. Answers whether it does. */
export function enterAsGuest(): boolean {
  if (startSettings.Guests === true) void change(guest)
  return isGuest()
}

export const isGuest = (): boolean => session.get()?.token === null

/** The user of the session. Only for screens behind the sign-in. */
export function useUser(): TokenUser {
  const held = useSession()
  if (held === null) throw new Error('There is no session')
  return held.user
}

/** Does the session have this permission? An administrator has all of them. */
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
    if (next !== null) claimStorage(next.token === null ? null : `${startSettings.BaseURL}#${next.user.id}`)
  }
  if (next === null) session.set(null)
  else session.set({ ...next, user: { ...next.user, ...recentChoices() }, scope: currentScope().number })
  return removal
}

/** A token may have been made before a preference that was chosen so many milliseconds ago was stored. */
const choiceCounts = 10_000

const choices = perSession(() => [] as { change: Partial<TokenUser>; at: number }[])

function recentChoices(): Partial<TokenUser> {
  const recent = choices().filter(({ at }) => Date.now() - at < choiceCounts)
  return Object.assign({}, ...recent.map(({ change }) => change))
}

/** Preferences change what the session's user looks like before the next token says so. */
export function amendUser(change: Partial<TokenUser>): void {
  const held = session.get()
  if (held === null) return
  choices().push({ change, at: Date.now() })
  session.set({ ...held, user: { ...held.user, ...change } })
}

function isSameSession(one: Claims | null, other: Claims | null): boolean {
  if (one === null || other === null) return one === other
  if (one.user.id !== other.user.id) return false
  // Where another system signs in, the session goes on although its token had to be asked for anew.
  return !startSettings.LoginPage || one.id === null || other.id === null || one.id === other.id
}

/** The user whose session was cut off in this tab: the address still names what that user looked at. */
const cutOffKey = 'filestead.cut-off'
let hasOtherAddress = false

function notePerson(held: Claims | null, next: Claims | null, ending: Ending): void {
  // What a guest looks at is there for everybody, and a guest is none of the persons.
  const before = held === null || held.token === null ? sessionStorage.getItem(cutOffKey) : String(held.user.id)
  hasOtherAddress = next !== null && next.token !== null && before !== null && before !== String(next.user.id)
  if (next === null && ending === 'cut-off' && before !== null) note(sessionStorage, cutOffKey, before)
  else if (next?.token !== null) sessionStorage.removeItem(cutOffKey)
}

/** Does the address of this tab lead to what another user was looking at? */
export const isOthersAddress = (): boolean => hasOtherAddress

export async function signIn(credentials: Credentials, signal?: AbortSignal): Promise<void> {
  const response = await call('POST', 'login', { body: credentials, isPublic: true, ...(signal && { signal }) })
  adoptToken(await response.text())
}

export async function signUp(credentials: { username: string; password: string }): Promise<void> {
  await call('POST', 'signup', { body: credentials, isPublic: true })
}

/** How long the server may take to end the session before it ends here, in milliseconds. */
const endTime = 5000

export async function signOut(): Promise<void> {
  const token = session.get()?.token
  // A guest goes on asking at once. By then the cookie must not stand for the user any more.
  const isGuestNext = startSettings.Guests === true
  const removal = isGuestNext ? null : forgetSession('signed-out')
  const signal = isGuestNext ? { signal: AbortSignal.timeout(endTime) } : {}
  const isOver =
    typeof token === 'string' &&
    (await call('POST', 'logout', { headers: { 'X-Auth': token }, isPublic: true, ...signal }).then(
      () => true,
      () => false,
    ))
  await (removal ?? forgetSession('signed-out'))
  if (isOver && isGuestNext) enterAsGuest()
}

let renewal: Promise<void> | null = null

/** A fresh token for the present session. Callers at the same time share one request. */
export function renew(signal?: AbortSignal): Promise<void> {
  renewal ??= (async () => {
    const held = session.get()
    if (held === null || held.token === null) return
    const response = await call('POST', 'renew', signal && { signal })
    const next = await response.text().catch(throwConnectionLost)
    // Another session, or none, may have begun meanwhile: it stays.
    if (session.get()?.token !== held.token) return
    const renewed = sessionOf(next)
    localStorage.setItem(storageKey, next)
    // The answer to a renewal is the session that was renewed, also where the server calls it otherwise.
    void change({ ...renewed, id: renewed.user.id === held.user.id ? (held.id ?? renewed.id) : renewed.id })
  })().finally(() => {
    renewal = null
  })
  return renewal
}

/**
 * Finds the session that the page starts with. A stored token counts at once, and is renewed. Answers false when the
 * server has not answered for that many milliseconds; a refusal is an answer, and leads to the login screen.
 */
export async function resumeSession(timeLimit: number): Promise<boolean> {
  const limit = AbortSignal.timeout(timeLimit)
  if (!startSettings.LoginPage) return (await reauthenticate(limit)) || (!limit.aborted && (enterAsGuest() || true))
  const token = localStorage.getItem(storageKey)
  if (token === null || token === '') {
    enterAsGuest()
    return true
  }
  try {
    adoptToken(token)
  } catch {
    void forgetSession()
    return true
  }
  // A token that was refused is forgotten by then. One that reached no server may well be good.
  return renew(limit).then(
    () => true,
    () => !limit.aborted,
  )
}

/**
 * The time of the token is up, or it was refused. The session ends, unless another tab has stored a newer token: a tab
 * that was frozen has heard nothing of it. Answers whether the session goes on.
 */
export function expireSession(): boolean {
  if (adoptStoredToken()) return true
  void forgetSession()
  return false
}

let reauthentication: Promise<boolean> | null = null

/**
 * The token is no longer taken, or its time is up. With a login page the session ends, unless another tab has stored a
 * newer token; where another system signs in, or no sign-in is needed, a new token is asked for. Answers whether there
 * is a session now.
 */
export function reauthenticate(signal?: AbortSignal): Promise<boolean> {
  if (startSettings.LoginPage) return Promise.resolve(expireSession())
  reauthentication ??= signIn({ username: '', password: '', recaptcha: '' }, signal)
    .then(
      () => true,
      (error) => {
        const isRefused = !(error instanceof ApiError && error.status === 0)
        if (isRefused) void forgetSession()
        return false
      },
    )
    .finally(() => {
      reauthentication = null
    })
  return reauthentication
}

// All tabs share one cookie, so they share one session: what another tab renews, begins or ends counts here too.
window.addEventListener('storage', ({ key }) => {
  // The event may be older than what is stored now, which counts.
  if (key !== storageKey || adoptStoredToken() || localStorage.getItem(storageKey)) return
  if (startSettings.LoginPage) void change(null, wasSignedOut() ? 'signed-out' : 'cut-off')
})

/** Takes the token that another tab has stored, where it is not the one of this tab. A frozen tab gets no storage event. */
export function adoptStoredToken(): boolean {
  const stored = localStorage.getItem(storageKey)
  if (!stored || stored === session.get()?.token) return false
  try {
    void change(sessionOf(stored))
    return true
  } catch {
    return false
  }
}

provideAuthentication({
  token: () => session.get()?.token ?? null,
  onRenewalWanted: () => void renew().catch(() => {}),
  onRefused: () => reauthenticate(),
})

/** The server tells how long a token lasts; when that is over is counted by the clock of this browser. */
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
