import { watched } from '../../state/watched.ts'
import type { Density } from './grid/FileGrid.tsx'
import { densities } from './view-mode.ts'

/** How much room a row gets. A matter of the screen in front of the person, so it stays in this browser. */
const storageKey = 'filestead.density'
const chosen = watched<Density>(densities.find((density) => density === localStorage.getItem(storageKey)) ?? 'default')

export const useDensity = chosen.use

export function saveDensity(density: Density): void {
  localStorage.setItem(storageKey, density)
  chosen.set(density)
}
