import { useEffect } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { goTo, useLocation } from '../navigation/location.ts'
import { useSession } from '../server/session.ts'
import { useAfterAWhile } from '../ui/after-a-while.ts'
import { Spinner } from '../ui/Button.tsx'
import { removeOverlay } from './loading-overlay.ts'
import { routeOf } from './routes.ts'
import styles from './Screen.module.css'

/** The screen of the present address, in the frame that goes with it. */
export function Screen() {
  const address = useLocation()
  useSession()
  const route = routeOf(address)
  const redirect = typeof route === 'string' ? route : null

  // What the guards of the page would ask about is gone with the right to see it.
  useEffect(() => {
    if (redirect !== null) goTo(redirect, { replace: true, wanted: address.pathname + address.search })
  }, [redirect, address])

  if (typeof route === 'string') return null
  const { frame: Frame, screen: View } = route
  const shown = (
    <>
      <View address={address} waiting={<Loading />} />
      <OverlayEnd />
    </>
  )
  return Frame === null ? shown : <Frame waiting={<Loading />}>{shown}</Frame>
}

/** Mounted with the first screen. */
function OverlayEnd() {
  useEffect(removeOverlay, [])
  return null
}

/** What takes less than so many milliseconds needs no sign that it is under way. */
const unnoticed = 300

function Loading() {
  const { t } = useTranslation()
  const isLong = useAfterAWhile(unnoticed)
  return (
    <main className={styles.loading} aria-busy="true">
      {isLong && (
        <div role="status" aria-label={t('frame.loading')}>
          <Spinner />
        </div>
      )}
    </main>
  )
}
