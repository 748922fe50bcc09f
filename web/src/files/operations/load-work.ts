import { loadTray } from '../../activity/ActivityCentre.tsx'

/** What runs a job and what shows it, before it begins: once the connection is lost, they could not be loaded any more. */
export async function loadJobs() {
  const [{ runJob }] = await Promise.all([import('./run-job.ts'), loadTray()])
  return { runJob }
}
