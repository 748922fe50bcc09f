import type { Seen } from './grid/FileGrid.tsx'

/** Where one was in folders that were left, so that one comes back to the same rows. Lives as long as the page. */
const seen = new Map<string, Seen>()
const most = 100

export const recall = (folder: string): Seen | null => seen.get(folder) ?? null

export function remember(folder: string, place: Seen): void {
  seen.delete(folder)
  seen.set(folder, place)
  const [oldest] = seen.keys()
  if (seen.size > most && oldest !== undefined) seen.delete(oldest)
}
