import { useEffect } from 'react'
import { enterAnew, forgetSession, isOthersAddress, renew, takeStored, useSession } from '../api/session.ts'
import { startSettings } from '../api/start-settings.ts'
import { browserLocale, speak } from '../i18n/i18n.ts'
import { currentLocation, goTo, isGuarded } from '../navigation/location.ts'

/** setTimeout counts in 32 bits; a day at a time keeps far below that. */
const longestTimer = 24 * 3600 * 1000
/** How long before its end a token is renewed for somebody who is there. */
const margin = 60_000

/** Signs out when the token runs out unused, and speaks the language of whoever is signed in, else the browser's. */
export function useSessionClock(): void {
  const session = useSession()
  const expires = session?.expires
  const locale = session?.user.locale
  const scope = session?.scope

  // Nobody is led to what the person before them was looking at.
  useEffect(() => {
    const isVisiting = currentLocation().pathname.startsWith('/share/')
    if (scope !== undefined && isOthersAddress() && !isVisiting) goTo('/files/', { replace: true })
  }, [scope])

  useEffect(() => {
    void speak(locale ?? browserLocale())
  }, [locale])

  useEffect(() => (expires === undefined ? undefined : watch(expires * 1000)), [expires])
}

/**
 * Most requests renew the token by the way. Who only writes, reads or watches sends none for hours, and is there all the
 * same: the token is renewed shortly before its end, or as soon as a hand stirs after that.
 */
function watch(end: number): () => void {
  const stop = new AbortController()
  const early = end - Math.min(margin, (end - Date.now()) / 10)
  let hasStirred = false
  let isLate = false

  function onStir() {
    hasStirred = true
    if (isLate) keepAlive()
  }

  function keepAlive() {
    isLate = false
    void renew().catch(() => {})
  }

  for (const event of ['keydown', 'pointerdown', 'wheel'])
    addEventListener(event, onStir, { capture: true, passive: true, signal: stop.signal })
  at(early, stop.signal, () => {
    if (hasStirred || isGuarded() || isPlaying()) keepAlive()
    else isLate = true
  })
  at(end, stop.signal, () => {
    if (!startSettings.LoginPage) return void enterAnew()
    // A tab that was asleep has not heard what the others have renewed since.
    if (takeStored()) return keepAlive()
    void forgetSession()
    goTo('/login?logout-reason=inactivity')
  })
  return () => stop.abort()
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
