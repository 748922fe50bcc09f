import { useTranslation } from 'react-i18next'
import { availableActions, perform } from '../../actions/registry.ts'
import { usePlace } from '../../place/place.ts'
import { Blank } from '../../ui/Blank.tsx'
import { Button } from '../../ui/Button.tsx'
import styles from './EmptyFolder.module.css'

/**
 * Nothing here yet, and the ways to change that. The buttons repeat what toolbar and sidebar offer, nearer to the
 * eye: for the keyboard and for assistive technology once is enough.
 */
export function EmptyFolder({ onMenu }: { onMenu: (at: { x: number; y: number }) => void }) {
  const { t } = useTranslation()
  const offers = availableActions(usePlace(), ['upload', 'new-folder'])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the free space of the folder
    <div
      className={styles.area}
      onContextMenu={(event) => {
        event.preventDefault()
        onMenu({ x: event.clientX, y: event.clientY })
      }}
    >
      <Blank
        scene="empty"
        title={t('files.lonely')}
        text={offers.length > 0 ? t('files.lonelyText') : t('files.lonelyTextReadOnly')}
        actions={
          offers.length > 0 && (
            <span aria-hidden="true" className={styles.offers}>
              {offers.map((action, index) => (
                <Button
                  key={action.id}
                  tabIndex={-1}
                  look={index === 0 ? 'primary' : 'line'}
                  icon={action.icon}
                  onClick={() => void perform(action)}
                >
                  {t(action.label)}
                </Button>
              ))}
            </span>
          )
        }
      />
    </div>
  )
}
