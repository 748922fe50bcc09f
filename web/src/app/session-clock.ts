import { useEffect } from 'react'
import { browserLocale, switchLanguage } from '../i18n/i18n.ts'
import { currentLocation, goTo, isGuarded } from '../navigation/location.ts'
import {
  currentSession,
  expireSession,
  isOthersAddress,
  onSession,
  reauthenticate,
  renew,
  useSession,
} from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'

/** setTimeout counts in 32 bits; a day at a time keeps far below that. */
const longestTimer = 24 * 3600 * 1000
/** How long before its end a token in use is renewed. */
const margin = 60_000

/** Ends the session when its token runs out unused, and shows the language of its user, else the browser's. */
export function useSessionClock(): void {
  const session = useSession()
  const expires = session?.expires
  const locale = session?.user.locale

  useEffect(() => {
    void switchLanguage(locale || browserLocale()).catch(() => {})
  }, [locale])

  useEffect(() => (expires === undefined ? undefined : watchEnd(expires * 1000)), [expires])
}

/**
 * The address may lead to what the user before was looking at: a session of another user begins in its own files. To be
 * called before the first screen, so that no screen asks for that address in the new session.
 */
export function watchAddress(): void {
  let scope: number | undefined
  onSession(() => {
    const next = currentSession()?.scope
    const isNew = next !== undefined && next !== scope
    scope = next
    const isVisiting = currentLocation().pathname.startsWith('/share/')
    if (isNew && isOthersAddress() && !isVisiting) goTo('/files/', { replace: true })
  })
}

/**
 * Most requests renew the token by the way. Writing, reading and watching send none for hours: the token is renewed
 * shortly before its end where the page was in use, or with the first key or click after that.
 */
export function watchEnd(end: number): () => void {
  const stop = new AbortController()
  const early = end - Math.min(margin, (end - Date.now()) / 10)
  let wasUsed = false
  let isLate = false

  function onUse() {
    wasUsed = true
    if (isLate) keepAlive()
  }

  function keepAlive() {
    isLate = false
    void renew().catch(() => {})
  }

  for (const event of ['keydown', 'pointerdown', 'wheel'])
    addEventListener(event, onUse, { capture: true, passive: true, signal: stop.signal })
  at(early, stop.signal, () => {
    if (wasUsed || isGuarded() || isPlaying()) keepAlive()
    else isLate = true
  })
  at(end, stop.signal, () => {
    if (!startSettings.LoginPage) return void reauthenticate()
    const login = loginAddress()
    if (expireSession()) keepAlive()
    else goTo(login)
  })
  return () => stop.abort()
}

/** Leads back to where the session ended. */
function loginAddress(): string {
  const { pathname, search } = currentLocation()
  const redirect = pathname === '/files/' ? '' : `&redirect=${encodeURIComponent(pathname + search)}`
  return `/login?logout-reason=inactivity${redirect}`
}

const isPlaying = (): boolean =>
  [...document.querySelectorAll<HTMLMediaElement>('audio, video')].some(({ paused }) => !paused)

function at(time: number, signal: AbortSignal, run: () => void): void {
  let timer: ReturnType<typeof setTimeout>
  signal.addEventListener('abort', () => clearTimeout(timer))
  function wait() {
    const left = time - Date.now()
    if (left > 0) timer = setTimeout(wait, Math.min(left, longestTimer))
    else run()
  }
  wait()
}
