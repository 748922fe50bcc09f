import { useRef } from 'react'
import { usePlace } from '../../place/place.ts'
import { useMedia } from '../../ui/media.ts'
import { useIsNarrowerThan } from '../../ui/use-width.ts'
import { FileToolbar } from './FileToolbar.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import styles from './Toolbars.module.css'

/** Below this the bar of what is chosen has no room beside Upload and the views, in the longest of our languages. */
const roomy = 860

/**
 * The tools of the folder and those of what is chosen in it. There are three ways to put them, and none of them moves a
 * row: side by side; one instead of the other where the window is narrow; at the bottom on phones and tablets.
 */
export function FolderTools() {
  const box = useRef<HTMLDivElement>(null)
  const isPhone = useMedia('narrow')
  const isSheet = useMedia('sheet')
  const isTight = useIsNarrowerThan(box, roomy) && !isSheet
  const isChoosing = usePlace().selection.names.size > 0

  return (
    <div ref={box} className={styles.box} data-tight={isTight}>
      {!isPhone && <FileToolbar isCovered={isTight && isChoosing} isShort={isSheet && isChoosing} />}
      <SelectionBar isWhole={isSheet || isTight} />
    </div>
  )
}
