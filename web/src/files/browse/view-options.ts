import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { savePreferences } from '../../server/queries/preferences.ts'
import { useUser } from '../../server/session.ts'
import { note } from '../../state/personal-storage.ts'
import { createStore } from '../../state/store.ts'
import type { GlyphName } from '../../ui/glyphs.tsx'
import type { MenuSection } from '../../ui/Menu.tsx'
import { useMedia } from '../../ui/media.ts'
import type { Density } from '../grid/FileGrid.tsx'
import type { ViewMode } from '../grid/layout.ts'
import { type Column, columns, sortTexts } from '../grid/sorting.ts'
import { chooseOneTap, useOpensOnTap } from './one-tap.ts'

/** In the order of "Switch view". */
export const viewModes = [
  { mode: 'list', label: 'files.list', icon: 'list' },
  { mode: 'mosaic', label: 'files.mosaic', icon: 'mosaic' },
  { mode: 'mosaic gallery', label: 'files.gallery', icon: 'gallery' },
] as const satisfies readonly { mode: ViewMode; label: string; icon: GlyphName }[]

/** The view that the user has saved; anything unknown is the list. */
export const viewModeOf = (saved: string): ViewMode => viewModes.find(({ mode }) => mode === saved)?.mode ?? 'list'

export function nextViewMode(present: ViewMode): ViewMode {
  const at = viewModes.findIndex(({ mode }) => mode === present)
  return viewModes[(at + 1) % viewModes.length]?.mode ?? 'list'
}

const densities = ['compact', 'default', 'comfortable'] as const satisfies readonly Density[]
const densityKey = 'filestead.density'
const columnsKey = 'filestead.hidden-columns'

/** The height of rows depends on the screen, so it is saved in this browser and not with the user. */
const chosenDensity = createStore<Density>(
  densities.find((density) => density === localStorage.getItem(densityKey)) ?? 'default',
)

export const useDensity = chosenDensity.use

function saveDensity(density: Density): void {
  note(localStorage, densityKey, density)
  chosenDensity.set(density)
}

/** Which columns of the list are left out. A matter of the screen as well. */
const hiddenColumns = createStore<readonly Column[]>(
  columns.filter((column) => column !== 'name' && localStorage.getItem(columnsKey)?.split(' ').includes(column)),
)

export const useHiddenColumns = hiddenColumns.use

function toggleColumn(column: Column): void {
  const hidden = hiddenColumns.get()
  const next = hidden.includes(column) ? hidden.filter((each) => each !== column) : [...hidden, column]
  note(localStorage, columnsKey, next.join(' '))
  hiddenColumns.set(next)
}

/** The choices of "View options": the view; with a mouse the height of rows and the columns, with fingers what a tap does. */
export function useViewSections(): MenuSection[] {
  const { t } = useTranslation()
  const viewMode = viewModeOf(useUser().viewMode)
  const density = useDensity()
  const hidden = useHiddenColumns()
  const isTouch = useMedia('touch')
  const isCoarse = useMedia('coarse')
  const opensOnTap = useOpensOnTap()
  const views = viewModes.map(({ mode, label, icon }) => ({
    id: mode,
    label: t(label),
    icon,
    isChecked: mode === viewMode,
    onSelect: () => void savePreferences({ viewMode: mode }).catch(showFailure),
  }))
  const heights = densities.map((each) => ({
    id: each,
    label: t(`files.${each}`),
    isChecked: each === density,
    onSelect: () => saveDensity(each),
  }))
  const shown = columns.slice(1).map((column) => ({
    id: column,
    label: t(sortTexts[column].heading),
    isChecked: !hidden.includes(column),
    onSelect: () => toggleColumn(column),
  }))
  const view = { heading: t('files.view'), items: views }
  const taps = [true, false].map((isOneTap) => ({
    id: isOneTap ? 'one-tap' : 'double-tap',
    label: t(isOneTap ? 'touch.oneTap' : 'touch.doubleTap'),
    isChecked: isOneTap === opensOnTap,
    onSelect: () => chooseOneTap(isOneTap),
  }))
  if (isCoarse) return [view, taps]
  // On touch screens rows have the height that fingers need, and a phone has no columns.
  if (viewMode !== 'list' || isTouch) return [view]
  return [
    view,
    { heading: t('listing.density'), items: heights },
    { heading: t('files.columns'), items: shown, isManyOf: true },
  ]
}
