import { personalItem } from '../../state/personal-storage.ts'

/** A folder or a file that was opened. */
export interface Place {
  readonly path: string
  readonly isDir: boolean
}

const kept = personalItem('recent-places')
const mostKept = 20

/** The last one first. */
export function recentPlaces(): Place[] {
  try {
    const places: unknown = JSON.parse(kept.read() ?? '[]')
    return Array.isArray(places) ? places.filter(isPlace) : []
  } catch {
    return []
  }
}

export function rememberPlace({ path, isDir }: Place): void {
  if (path === '/') return
  const others = recentPlaces().filter((place) => place.path !== path)
  kept.note(JSON.stringify([{ path, isDir }, ...others].slice(0, mostKept)))
}

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string' && 'isDir' in value
