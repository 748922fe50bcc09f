import { loadTray } from '../../activity/ActivityCentre.tsx'

/** What runs a batch and what shows it, before it begins: once the connection is lost, they could not be loaded any more. */
export async function loadBatch() {
  const [batch] = await Promise.all([import('./batch.ts'), loadTray()])
  return batch
}

/** The same for a job. */
export async function loadJobs() {
  const [{ runJob }] = await Promise.all([import('./run-job.ts'), loadTray()])
  return { runJob }
}
