import { type RefObject, useEffect, useRef } from 'react'
import { ActivityRows } from './ActivityRows.tsx'
import styles from './ActivityTray.module.css'
import { useActivities } from './activities.ts'
import { useFocusRequests, useTray } from './tray.ts'

/** Everything under way, in the corner of the page: on a phone below the page, over a viewer under its header. */
export function ActivityTray() {
  const activities = useActivities()
  const { isOpen: isListing, isOverViewer } = useTray('jobs')
  const { isOpen: isListingUploads } = useTray('uploads')
  const tray = useRef<HTMLDivElement>(null)
  const requests = useFocusRequests()
  useKeptRoom(tray)

  useEffect(() => {
    if (requests > 0) tray.current?.focus()
  }, [requests])

  const rows = activities.filter(({ Panel }) => Panel === undefined)
  // Panels other than that of the uploads are never folded.
  const isOpen =
    (isListing && rows.length > 0) ||
    activities.some(({ Panel, kind }) => Panel !== undefined && (kind !== 'upload' || isListingUploads))
  return (
    // A viewer hides whatever lies beside it. That is this element; the tray in it asks to be visible.
    <div className={styles.host}>
      <div
        ref={tray}
        className={styles.tray}
        tabIndex={-1}
        data-activity-tray=""
        data-open={isOpen}
        data-over-viewer={isOverViewer}
      >
        {rows.length > 0 && <ActivityRows rows={rows} />}
        {activities.map(({ Panel, ...activity }) =>
          Panel === undefined ? null : <Panel key={activity.id} activity={activity} />,
        )}
      </div>
    </div>
  )
}

/** On a phone the folded tray stands below the page, not before its buttons: the page gives up as much room. */
function useKeptRoom(tray: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = tray.current
    if (element === null) return
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => {
      if (element.dataset.open === 'false') style.setProperty('--tray-h', `${element.offsetHeight}px`)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty('--tray-h')
    }
  }, [tray])
}
