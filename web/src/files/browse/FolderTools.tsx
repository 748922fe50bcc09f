import { useRef } from 'react'
import { useMedia } from '../../ui/media.ts'
import { useIsNarrowerThan } from '../../ui/use-width.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { FileToolbar } from './FileToolbar.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import styles from './Toolbars.module.css'

/** Below this width the selection bar does not fit between Upload and the views, in the longest of our languages. */
const roomy = 860

/**
 * The toolbars of the folder and of the selection, in one of three arrangements, none of which moves a row: side by side;
 * one instead of the other in a narrow window; at the bottom on phones and tablets.
 */
export function FolderTools() {
  const box = useRef<HTMLDivElement>(null)
  const isPhone = useMedia('narrow')
  const isSheet = useMedia('sheet')
  const isTight = useIsNarrowerThan(box, roomy) && !isSheet
  const isSelecting = useWorkspace(({ selection }) => selection.names.size > 0)

  return (
    <div ref={box} className={styles.box} data-tight={isTight}>
      {!isPhone && <FileToolbar isCovered={isTight && isSelecting} isShort={isSheet && isSelecting} />}
      <SelectionBar isWhole={isSheet || isTight} />
    </div>
  )
}
