import { useEffect } from 'react'
import { instanceName } from '../server/start-settings.ts'
import { sessionStore } from '../state/session-scope.ts'

/** Stands before the title: how much is under way. */
export const titleMark = sessionStore('')

/** "Photos - Files - File Browser": what the tab is called. */
export function useTitle(...parts: string[]): void {
  const title = titleMark.use() + [...parts, instanceName].join(' - ')
  useEffect(() => {
    document.title = title
  }, [title])
}
