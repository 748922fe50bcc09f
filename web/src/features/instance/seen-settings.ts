import type { WebSettings } from '@filestead/contract'
import { type RefObject, useEffect } from 'react'

/** Keeps in `seen` what a card was filled from: while somebody edits it, the settings as they were before. */
export function useSeenSettings(seen: RefObject<WebSettings>, settings: WebSettings, isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) seen.current = settings
  }, [seen, settings, isDirty])
}
