import { run, useCommandsIn } from '../../commands/registry.ts'
import { type TextKey, useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useMedia } from '../../ui/media.ts'
import styles from './EmptyFolder.module.css'
import { useFocusOfGrid } from './folder-memory.ts'

interface EmptyFolderProps {
  folder: Pick<Entry, 'path' | 'can'>
  onMenu: (at: { x: number; y: number }) => void
}

/**
 * Says that the folder is empty, and offers to fill it. The buttons repeat commands of the toolbar and the sidebar where
 * they are seen first: the keyboard and assistive technology have them there, once.
 */
export function EmptyFolder({ folder, onMenu }: EmptyFolderProps) {
  const { t } = useTranslation()
  const offers = useCommandsIn('empty-folder')
  useFocusOfGrid()
  // Where there is nothing but fingers, nothing can be dropped.
  const [title, text] = wordsFor(folder, !useMedia('coarse') && offers.length > 0)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the free space of the folder
    <div
      className={styles.area}
      onContextMenu={(event) => {
        event.preventDefault()
        onMenu({ x: event.clientX, y: event.clientY })
      }}
    >
      <EmptyState
        scene="empty"
        title={t(title)}
        text={t(text)}
        actions={
          offers.length > 0 && (
            <span aria-hidden="true" className={styles.offers}>
              {offers.map((command, index) => (
                <Button
                  key={command.id}
                  tabIndex={-1}
                  look={index === 0 ? 'primary' : 'line'}
                  icon={command.icon}
                  onClick={() => void run(command)}
                >
                  {t(command.label)}
                </Button>
              ))}
            </span>
          )
        }
      />
    </div>
  )
}

/** A folder that things can be put into and whose entries do not show is a letter box. */
function wordsFor({ path, can }: Pick<Entry, 'path' | 'can'>, takesDrops: boolean): [TextKey, TextKey] {
  if (can?.includes('create') && !can.includes('see')) return ['files.letterBox', 'files.letterBoxText']
  if (can?.includes('create') === false && path === '/') return ['files.nothingShared', 'files.nothingSharedText']
  return ['files.lonely', takesDrops ? 'files.lonelyText' : 'files.lonelyTextReadOnly']
}
