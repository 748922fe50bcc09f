import { personalItem } from '../../state/personal-storage.ts'

/** As many as fit on one line. */
const most = 3
const item = personalItem('destinations')

/** Where this person sent entries last, newest first. */
export function recentDestinations(): string[] {
  try {
    const kept: unknown = JSON.parse(item.read() ?? '[]')
    return Array.isArray(kept) ? kept.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

export function rememberDestination(path: string): void {
  const paths = [path, ...recentDestinations().filter((other) => other !== path)]
  item.note(JSON.stringify(paths.slice(0, most)))
}
