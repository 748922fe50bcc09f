import { useEffect } from 'react'
import { needTexts } from '../i18n/i18n.ts'
import { jobs } from '../server/live/jobs.ts'
import { useScope } from '../state/session-scope.ts'

/** Puts jobs into the tray, as soon as there is one. */
export function useJobsInTray(): void {
  const { signal } = useScope()
  const isNeeded = jobs.use((known) => known !== null && known.length > 0)
  useEffect(() => {
    if (isNeeded) void listThem(signal).catch(() => {})
  }, [isNeeded, signal])
}

async function listThem(signal: AbortSignal): Promise<void> {
  const [{ listJobs }] = await Promise.all([import('./job-activities.ts'), needTexts('jobs')])
  if (!signal.aborted) listJobs()
}
