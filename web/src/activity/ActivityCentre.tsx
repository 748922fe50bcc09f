import { lazy, Suspense } from 'react'
import { useActivities } from './activities.ts'

const ActivityTray = lazy(async () => ({ default: (await import('./ActivityTray.tsx')).ActivityTray }))

/** The tray, fetched when something is under way for the first time. */
export function ActivityCentre() {
  const isNeeded = useActivities(({ length }) => length > 0)
  if (!isNeeded) return null
  return (
    <Suspense fallback={null}>
      <ActivityTray />
    </Suspense>
  )
}
