import { personalItem } from '../state/personal-storage.ts'
import { currentScope, perSession, type SessionScope, useScope } from '../state/session-scope.ts'
import { createStore } from '../state/store.ts'

/** A folder or a file that was opened. */
export interface Place {
  readonly path: string
  readonly isDir: boolean
}

const most = 20
const item = personalItem('recent-places')

/** What this person has opened, the last one first. Other tabs are heard when this one opens something. */
const recent = perSession(() => createStore(stored()))

export const useRecentPlaces = (): readonly Place[] => recent(useScope()).use()

export const recentPlaces = (): readonly Place[] => recent().get()

/** Not where the session that has opened it is over: the next one may be another person's. */
export function rememberPlace({ path, isDir }: Place, scope: SessionScope): void {
  if (path === '/' || scope !== currentScope()) return
  keep([{ path, isDir }, ...stored().filter((other) => other.path !== path)].slice(0, most))
}

/** A folder that is not there any more, and what was in it. */
export function forgetPlace(path: string): void {
  keep(stored().filter((other) => other.path !== path && !other.path.startsWith(`${path}/`)))
}

function keep(places: Place[]): void {
  recent().set(places)
  item.note(JSON.stringify(places))
}

function stored(): Place[] {
  try {
    const kept: unknown = JSON.parse(item.read() ?? '[]')
    return Array.isArray(kept) ? kept.filter(isPlace) : []
  } catch {
    return []
  }
}

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string' && 'isDir' in value
