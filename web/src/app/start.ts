import { browserLocale, switchLanguage } from '../i18n/i18n.ts'
import { currentLocation } from '../navigation/location.ts'
import { forgetEarly } from '../server/client.ts'
import { untilReachable } from '../server/connection.ts'
import { currentSession, resumeSession } from '../server/session.ts'
import { showUnreachable, stylesLoaded, takeOverOverlay } from './loading-overlay.ts'
import { preload } from './routes.ts'
import { watchAddress } from './session-clock.ts'

/** How long the server may give no answer about the session before the page says so, in milliseconds. */
const answerTime = 6000
/** The same for code, texts and styles, which a slow connection may well take long for. */
const loadingTime = 20_000

/**
 * Resolves once the first screen can be shown. What it needs is asked for at the same time: a fresh token, texts, code
 * and, with a stored token, the data of the screen.
 */
export async function start(): Promise<void> {
  takeOverOverlay()
  watchAddress()
  const [resuming, locale] = [resumeSession(answerTime), localeOfSession()]
  // The code before the language: it says which texts are needed.
  const [styles, code, texts] = [stylesLoaded(), preload(currentLocation()), switchLanguage(locale)]
  // Those that fail are awaited, or asked for again, below.
  for (const part of [styles, texts, code]) part.catch(() => {})
  await untilSession(resuming)
  // The session may be another one than the stored token said, and lead elsewhere.
  const hasOtherLocale = localeOfSession() !== locale
  await untilLoaded([styles, hasOtherLocale ? switchLanguage(localeOfSession()) : texts, preload(currentLocation())])
}

/** An answer of the server is waited for; the message goes away with the overlay. */
async function untilSession(resuming: Promise<boolean>): Promise<void> {
  for (let isKnown = await resuming; !isKnown; isKnown = await resumeSession(answerTime)) {
    forgetEarly()
    showUnreachable()
    await untilReachable()
  }
}

async function untilLoaded(parts: Promise<unknown>[]): Promise<void> {
  const timer = setTimeout(showUnreachable, loadingTime)
  try {
    await Promise.all(parts)
  } catch {
    showUnreachable()
    await untilReachable()
    // A module that failed to load stays failed in most browsers.
    window.location.reload()
    await new Promise(() => {})
  } finally {
    clearTimeout(timer)
  }
}

const localeOfSession = (): string => currentSession()?.user.locale || browserLocale()
