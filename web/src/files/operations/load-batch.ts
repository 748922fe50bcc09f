import { loadTray } from '../../activity/ActivityCentre.tsx'

/** A batch and what shows it, before it begins: once the connection is lost, the tray could not be loaded any more. */
export async function loadBatch() {
  const [batch] = await Promise.all([import('./batch.ts'), loadTray()])
  return batch
}
