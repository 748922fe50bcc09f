import { useRef } from 'react'
import type { CommandId } from '../../commands/command.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useMedia } from '../../ui/media.ts'
import { useIsNarrowerThan } from '../../ui/use-width.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { FileToolbar } from './FileToolbar.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import styles from './Toolbars.module.css'

/** Below this width the selection bar does not fit between Upload and the views, in the longest of our languages. */
const roomy = 860
/** Nor do its words with buttons for fingers. */
const roomyForFingers = 1000
/**
 * From which width on the commands of the folder show their names beside the selection bar, which needs room for its own:
 * in this language so many letters, of 9 px each, beside icons and counts.
 */
function useWordyWidth(): number {
  const { t } = useTranslation()
  return 690 + 9 * words.map((word) => t(word)).join('').length
}

const words = [
  'info.info',
  'files.selectMultiple',
  'download.download',
  'share.share',
  'change.rename',
  'change.copy',
  'change.move',
  'buttons.delete',
] as const

/** Not in the selection bar where it stands beside the toolbar of the folder, which has them. */
const besideToolbar: readonly CommandId[] = ['download', 'info']
/** Nor in that of a phone, whose menu "More" has it: so the words fit. */
const onPhone: readonly CommandId[] = ['info']
const nothing: readonly CommandId[] = []

/**
 * The toolbars of the folder and of the selection, in one of three arrangements, none of which moves a row: side by side;
 * one instead of the other in a narrow window; at the bottom on phones and tablets.
 */
export function FolderTools() {
  const box = useRef<HTMLDivElement>(null)
  const isPhone = useMedia('narrow')
  const isSheet = useMedia('sheet')
  const isCoarse = useMedia('coarse')
  const isTight = useIsNarrowerThan(box, isCoarse ? roomyForFingers : roomy) && !isSheet
  const isSelecting = useWorkspace(({ selection }) => selection.names.size > 0)
  const hasWords = !useIsNarrowerThan(box, useWordyWidth()) && !isSheet
  const leftOut = isPhone ? onPhone : isSheet || isTight ? nothing : besideToolbar

  return (
    <div ref={box} className={styles.box} data-tight={isTight}>
      {!isPhone && (
        <FileToolbar isCovered={isTight && isSelecting} isSelecting={isSelecting} stays={leftOut} hasWords={hasWords} />
      )}
      <SelectionBar leftOut={leftOut} />
    </div>
  )
}
