import { run, useCommandsIn } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import styles from './EmptyFolder.module.css'

/**
 * Says that the folder is empty, and offers to fill it. The buttons repeat commands of the toolbar and the sidebar where
 * they are seen first: the keyboard and assistive technology have them there, once.
 */
export function EmptyFolder({ onMenu }: { onMenu: (at: { x: number; y: number }) => void }) {
  const { t } = useTranslation()
  const offers = useCommandsIn('empty-folder')
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
        title={t('files.lonely')}
        text={offers.length > 0 ? t('files.lonelyText') : t('files.lonelyTextReadOnly')}
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
