import { currentSession } from '../../api/session.ts'

/** As many as fit on one line. */
const most = 3

/** Where this person sent entries last, newest first. Kept in the browser, for each user by themselves. */
export function recentDestinations(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey()) ?? '[]')
    return Array.isArray(kept) ? kept.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

export function rememberDestination(path: string): void {
  const paths = [path, ...recentDestinations().filter((other) => other !== path)]
  localStorage.setItem(storageKey(), JSON.stringify(paths.slice(0, most)))
}

const storageKey = (): string => `filestead.destinations.${currentSession()?.user.username}`
