import { useEffect, useRef } from 'react'
import { guardLeaving } from '../navigation/location.ts'
import { askAboutChanges } from './ask-about-changes.ts'

interface Holder {
  save: () => Promise<boolean>
}

/** Everything on the page that holds changes. They are asked about together, once. */
const holders = new Set<Holder>()
let takeGuardAway = () => {}

/** Asks before the page is left with changes; `save` answers whether they are safe then. */
export function useUnsavedChanges(isDirty: boolean, save: () => Promise<boolean>): void {
  const latest = useRef(save)
  useEffect(() => {
    latest.current = save
  })

  useEffect(() => {
    if (!isDirty) return
    const holder = { save: () => latest.current() }
    if (holders.size === 0) takeGuardAway = guard()
    holders.add(holder)
    return () => {
      holders.delete(holder)
      if (holders.size === 0) takeGuardAway()
    }
  }, [isDirty])
}

function guard(): () => void {
  const release = guardLeaving(askOnce)
  addEventListener('beforeunload', stayForNow)
  return () => {
    release()
    removeEventListener('beforeunload', stayForNow)
  }
}

async function askOnce(): Promise<boolean> {
  const answer = await askAboutChanges()
  if (answer === null) return false
  if (answer === 'discard') return true
  for (const holder of [...holders]) if (!(await holder.save())) return false
  return true
}

/** Closing the tab: the browser asks in its own words. */
const stayForNow = (event: BeforeUnloadEvent): void => event.preventDefault()
