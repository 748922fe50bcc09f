import { sortKeys } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { isFolder, refreshFolders, resourceQuery } from '../../server/queries/resources.ts'
import { savePreferences } from '../../server/queries/users.ts'
import { useUser } from '../../server/session.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { createStore } from '../../state/store.ts'
import type { GlyphName } from '../../ui/glyphs.tsx'
import type { MenuSection } from '../../ui/Menu.tsx'
import { useMedia } from '../../ui/media.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import type { Density } from '../grid/FileGrid.tsx'
import type { ViewMode } from '../grid/layout.ts'
import { type ShownSorting, shownSorting, sortedBy, sortTexts, wiredSorting } from '../grid/sorting.ts'

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
const storageKey = 'filestead.density'

/** The height of rows depends on the screen, so it is saved in this browser and not with the user. */
const chosenDensity = createStore<Density>(
  densities.find((density) => density === localStorage.getItem(storageKey)) ?? 'default',
)

export const useDensity = chosenDensity.use

function saveDensity(density: Density): void {
  localStorage.setItem(storageKey, density)
  chosenDensity.set(density)
}

/** The choices of "View options": the view, and in the list the height of rows. */
export function useViewSections(): MenuSection[] {
  const { t } = useTranslation()
  const viewMode = viewModeOf(useUser().viewMode)
  const density = useDensity()
  const isTouch = useMedia('touch')
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
  // On touch screens rows have the height that fingers need.
  return viewMode === 'list' && !isTouch ? [views, heights] : [views]
}

/** The choices of "Sort", for views without column headers. */
export function useSortSections(): MenuSection[] {
  const { t } = useTranslation()
  const folder = useWorkspace((workspace) => workspace.folder)
  const { data } = useQuery({ ...resourceQuery(folder), enabled: false })
  const present: ShownSorting =
    data !== undefined && isFolder(data) ? shownSorting(data.sorting) : { by: 'name', direction: 'ascending' }
  return [
    sortKeys.map((by) => ({
      id: by,
      label: t(sortTexts[by].action),
      isChecked: present.by === by,
      onSelect: () => void sortFolder(folder, sortedBy(present, by)),
    })),
  ]
}

/** One request after the other: an earlier choice must not be saved last. */
let saving: Promise<unknown> = Promise.resolve()

/** The order is the user's, not the folder's: it is saved first, then the server lists anew. */
export async function sortFolder(folder: string, sorting: ShownSorting): Promise<void> {
  const session = sessionSignal()
  const saved = saving.then(() => {
    session.throwIfAborted()
    return savePreferences({ sorting: wiredSorting(sorting) })
  })
  saving = saved.catch(() => {})
  try {
    await saved
    await refreshFolders(folder)
  } catch (error) {
    showFailure(error)
  }
}
