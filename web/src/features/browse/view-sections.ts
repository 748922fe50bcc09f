import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { isFolder, resourceQuery } from '../../api/resources.ts'
import { useUser } from '../../api/session.ts'
import { showFailure } from '../../api/show-failure.ts'
import { savePreferences } from '../../api/users.ts'
import { usePlace } from '../../place/place.ts'
import type { MenuSection } from '../../ui/Menu.tsx'
import { useMedia } from '../../ui/media.ts'
import { saveDensity, useDensity } from './density.ts'
import { type ShownSorting, shownSorting, sortedBy } from './grid/sorting.ts'
import { sortFolder } from './sort-folder.ts'
import { densities, viewModeOf, viewModes } from './view-mode.ts'

/** The choices of "View options": the view, and in the list how much room a row gets. */
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
  const rooms = densities.map((each) => ({
    id: each,
    label: t(`files.${each}`),
    isChecked: each === density,
    onSelect: () => saveDensity(each),
  }))
  // Fingers get the room they need, whatever is chosen.
  return viewMode === 'list' && !isTouch ? [views, rooms] : [views]
}

/** The choices of "Sort" where no columns can be clicked. */
export function useSortSections(): MenuSection[] {
  const { t } = useTranslation()
  const { folder } = usePlace()
  const { data } = useQuery({ ...resourceQuery(folder), enabled: false })
  const present: ShownSorting =
    data !== undefined && isFolder(data) ? shownSorting(data.sorting) : { by: 'name', direction: 'ascending' }
  const keys = [
    { by: 'name', label: 'files.sortByName' },
    { by: 'size', label: 'files.sortBySize' },
    { by: 'modified', label: 'files.sortByLastModified' },
  ] as const
  return [
    keys.map(({ by, label }) => ({
      id: by,
      label: t(label),
      isChecked: present.by === by,
      onSelect: () => void sortFolder(folder, sortedBy(present, by)),
    })),
  ]
}
