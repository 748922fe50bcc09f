import { personalItem } from '../../state/personal-storage.ts'
import { currentScope, perSession, type SessionScope, useScope } from '../../state/session-scope.ts'
import { createStore } from '../../state/store.ts'

/** More than are shown, because those around the folder in view are left out. */
const most = 12
const item = personalItem('recent-folders')

/** The folders that this person has looked at, newest first. Other tabs are heard when this one looks at a folder. */
const recent = perSession(() => createStore(stored()))

export const useRecentFolders = (): readonly string[] => recent(useScope()).use()

/** Not where the session that has looked at it is over: the next one may be another person's. */
export function rememberFolder(path: string, scope: SessionScope): void {
  if (path === '/' || scope !== currentScope()) return
  const before = stored()
  if (before[0] === path) return
  const paths = [path, ...before.filter((other) => other !== path)].slice(0, most)
  recent().set(paths)
  item.note(JSON.stringify(paths))
}

/** A folder that is not there any more, and what was in it. */
export function forgetFolder(path: string): void {
  const paths = stored().filter((other) => other !== path && !other.startsWith(`${path}/`))
  recent().set(paths)
  item.note(JSON.stringify(paths))
}

function stored(): string[] {
  try {
    const kept: unknown = JSON.parse(item.read() ?? '[]')
    return Array.isArray(kept) ? kept.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}
