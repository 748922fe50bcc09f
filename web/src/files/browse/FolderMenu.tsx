import { useState } from 'react'
import { menuItems } from '../../commands/menu-items.ts'
import { useSectionsOf } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import type { MenuItem } from '../../ui/Menu.tsx'
import { useMedia } from '../../ui/media.ts'
import { PointMenu } from '../../ui/PointMenu.tsx'
import { isPressed } from '../../workspace/selection.ts'
import { clearSelection, useWorkspace, workspace } from '../../workspace/workspace.ts'
import type { Point } from '../grid/FileGrid.tsx'
import { SheetHead } from './SheetHead.tsx'

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

/** On a phone behind "More": seldom needed there, and the sheet shows the others without scrolling. */
const seldom: ReadonlySet<string> = new Set([
  'open-in-new-tab',
  'compress',
  'checksums',
  'previous-versions',
  'clip-copy',
  'clip-cut',
  'paste',
])

/** The menu of the right mouse button, on a phone a sheet. Its commands depend on the selection. */
export function FolderMenu({ menu, onClose, onFocusBack }: FolderMenuProps) {
  const { t } = useTranslation()
  const isForItems = menu?.isForItems === true
  const isSheet = useMedia('narrow') && isForItems
  const isCoarse = useMedia('coarse')
  const chosen = useWorkspace((workspace) => workspace.chosen)
  const [isWhole, setIsWhole] = useState(false)
  const sections = useSectionsOf(isForItems ? 'entry' : 'folder', { greyed: true }).map(menuItems)
  const more = { id: 'more', label: t('files.more'), icon: 'more' as const, staysOpen: true, onSelect: unfold }

  function unfold() {
    setIsWhole(true)
    // The line that had the focus is gone.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[role="menu"]')?.focus())
  }

  function close() {
    setIsWhole(false)
    onClose()
    // The menu has selected its row. Fingers would find the bar of the selection in the place of the others.
    const { selection } = workspace()
    if (isCoarse && selection.names.size === 1 && !isPressed(selection)) clearSelection()
  }

  return (
    <PointMenu
      label={isForItems ? t('files.itemActions') : t('files.folderActions')}
      head={isSheet && <SheetHead chosen={chosen} onClose={close} />}
      sections={isSheet && !isWhole ? folded(sections, [more]) : sections}
      at={menu?.at ?? null}
      onClose={close}
      onFocusBack={onFocusBack}
    />
  )
}

/** Without what is seldom needed, and before the last section, which deletes, a way to it. */
function folded(sections: readonly MenuItem[][], more: MenuItem[]): MenuItem[][] {
  const first = sections.map((section) => section.filter(({ id }) => !seldom.has(id)))
  return [...first.slice(0, -1), more, ...first.slice(-1)]
}
