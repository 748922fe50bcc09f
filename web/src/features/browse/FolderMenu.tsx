import { useTranslation } from 'react-i18next'
import { menuActions } from '../../actions/registry.ts'
import { usePlace } from '../../place/place.ts'
import { PointMenu } from '../../ui/Menu.tsx'
import type { Point } from './grid/FileGrid.tsx'
import { menuItems } from './menu-items.ts'

const forItems = [
  ['open', 'open-in-new-tab'],
  ['share', 'rename', 'copy', 'move'],
  ['clip-copy', 'clip-cut', 'paste'],
  ['download', 'info'],
  ['delete'],
]

const forFolder = [
  ['new-folder', 'new-file', 'upload'],
  ['paste', 'select-all'],
  ['download', 'info'],
]

export interface OpenMenu {
  /** On an entry or on free space? */
  isForItems: boolean
  at: Point
}

interface FolderMenuProps {
  menu: OpenMenu | null
  onClose: () => void
  onFocusBack: () => void
}

/** The menu of the right mouse button. What is chosen decides what it offers. */
export function FolderMenu({ menu, onClose, onFocusBack }: FolderMenuProps) {
  const { t } = useTranslation()
  const place = usePlace()
  const sections = (menu?.isForItems === true ? forItems : forFolder).map((ids) => menuItems(menuActions(place, ids)))
  return (
    <PointMenu
      label={menu?.isForItems === true ? t('files.itemActions') : t('files.folderActions')}
      sections={sections}
      at={menu?.at ?? null}
      onClose={onClose}
      onFocusBack={onFocusBack}
    />
  )
}
