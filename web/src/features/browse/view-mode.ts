import type { GlyphName } from '../../ui/glyphs.tsx'
import type { Density } from './grid/FileGrid.tsx'
import type { ViewMode } from './grid/layout.ts'

/** In the order in which "Switch view" goes round. */
export const viewModes = [
  { mode: 'list', label: 'files.list', icon: 'list' },
  { mode: 'mosaic', label: 'files.mosaic', icon: 'mosaic' },
  { mode: 'mosaic gallery', label: 'files.gallery', icon: 'gallery' },
] as const satisfies readonly { mode: ViewMode; label: string; icon: GlyphName }[]

/** What the user has saved; anything unknown is the list. */
export const viewModeOf = (saved: string): ViewMode => viewModes.find(({ mode }) => mode === saved)?.mode ?? 'list'

export function nextViewMode(present: ViewMode): ViewMode {
  const at = viewModes.findIndex(({ mode }) => mode === present)
  return viewModes[(at + 1) % viewModes.length]?.mode ?? 'list'
}

export const densities = ['compact', 'default', 'comfortable'] as const satisfies readonly Density[]
