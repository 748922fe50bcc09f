import { askWith } from '../dialogs/ask.ts'
import { t } from '../i18n/i18n.ts'
import { goTo, mayLeave } from '../navigation/location.ts'
import { isGuest, signOut } from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'
import { unfinished } from '../state/work.ts'

const isOwnLogout = (): boolean => startSettings.LogoutPage === '/login'

export const mayLogOut = (): boolean =>
  !isGuest() && !startSettings.NoAuth && (startSettings.LoginPage || !isOwnLogout())

let isLeaving = false

/** Asks before work is stopped. */
export async function logOut(): Promise<void> {
  // Asking other tabs for unfinished work takes a moment, in which the second half of a double click arrives.
  if (isLeaving) return
  isLeaving = true
  const isConfirmed = (await mayLeave('/login')) && (await mayStopWork())
  isLeaving = false
  if (!isConfirmed) return
  const done = signOut()
  if (isOwnLogout() && !startSettings.Guests) goTo('/login')
  await done
  if (isOwnLogout() && startSettings.Guests) goTo(isGuest() ? '/files/' : '/login')
  if (!isOwnLogout()) window.location.assign(startSettings.LogoutPage)
}

async function mayStopWork(): Promise<boolean> {
  const works = await unfinished()
  if (works.length === 0) return true
  const text = (
    <>
      <p>{t('frame.logoutStops')}</p>
      <ul>
        {works.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  )
  const words = { title: t('frame.logout'), cancel: t('buttons.cancel'), confirm: t('frame.logout') }
  // Where the question cannot be loaded, leaving comes first.
  return askWith(async () => (await import('../dialogs/Confirmation.tsx')).Confirmation, { ...words, text }).then(
    (isMeant) => isMeant !== null,
    () => true,
  )
}
