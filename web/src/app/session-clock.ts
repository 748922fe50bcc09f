import { useEffect } from 'react'
import { cache } from '../api/cache.ts'
import { forgetSession, useSession } from '../api/session.ts'
import { startSettings } from '../api/start-settings.ts'
import { browserLocale, speak } from '../i18n/i18n.ts'
import { goTo } from '../navigation/location.ts'

/** setTimeout counts in 32 bits; a day at a time keeps far below that. */
const longestTimer = 24 * 3600 * 1000

/** Signs out when the token runs out unused, and speaks the language of whoever is signed in, else the browser's. */
export function useSessionClock(): void {
  const session = useSession()
  const expires = session?.expires
  const locale = session?.user.locale
  const id = session?.user.id

  // What one person was shown must not flash up before the eyes of the next one.
  useEffect(() => (id === undefined ? undefined : () => cache.clear()), [id])

  useEffect(() => {
    void speak(locale ?? browserLocale())
  }, [locale])

  useEffect(() => {
    if (expires === undefined || isExternalLogout()) return
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      const left = expires * 1000 - Date.now()
      if (left > 0) timer = setTimeout(wait, Math.min(left, longestTimer))
      else {
        forgetSession()
        goTo('/login?logout-reason=inactivity')
      }
    }
    wait()
    return () => clearTimeout(timer)
  }, [expires])
}

/** Where somebody else signs people in and out, the token's end is not ours to announce. */
const isExternalLogout = (): boolean => startSettings.AuthMethod === 'proxy' && startSettings.LogoutPage !== '/login'
