import { menuItems } from '../../commands/menu-items.ts'
import { useSectionsOf } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { PointMenu } from '../../ui/Menu.tsx'
import type { Point } from '../grid/FileGrid.tsx'

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

/** The menu of the right mouse button. Its commands depend on the selection. */
export function FolderMenu({ menu, onClose, onFocusBack }: FolderMenuProps) {
  const { t } = useTranslation()
  const sections = useSectionsOf(menu?.isForItems === true ? 'entry' : 'folder', { greyed: true }).map(menuItems)
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
