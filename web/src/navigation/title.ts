import { useEffect } from 'react'
import { instanceName } from '../server/start-settings.ts'

/** "Photos - Files - File Browser": what the tab is called. */
export function useTitle(...parts: string[]): void {
  const title = [...parts, instanceName].join(' - ')
  useEffect(() => {
    document.title = title
  }, [title])
}
