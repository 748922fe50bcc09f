import { useSyncExternalStore } from 'react'
import type { Density } from './grid/FileGrid.tsx'
import { densities } from './view-mode.ts'

/** How much room a row gets. A matter of the screen in front of the person, so it stays in this browser. */
const storageKey = 'filestead.density'
const listeners = new Set<() => void>()

const read = (): Density => densities.find((density) => density === localStorage.getItem(storageKey)) ?? 'default'

export function saveDensity(density: Density): void {
  localStorage.setItem(storageKey, density)
  for (const listener of listeners) listener()
}

export const useDensity = (): Density =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, read)
