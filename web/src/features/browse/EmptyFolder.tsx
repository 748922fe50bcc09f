import { useTranslation } from 'react-i18next'
import { availableActions, perform } from '../../actions/registry.ts'
import { usePlace } from '../../place/place.ts'
import { Blank } from '../../ui/Blank.tsx'
import { Button } from '../../ui/Button.tsx'

/** Nothing here yet, and the ways to change that. */
export function EmptyFolder() {
  const { t } = useTranslation()
  const offers = availableActions(usePlace(), ['new-folder'])
  return (
    <Blank
      scene="empty"
      title={t('files.lonely')}
      text={offers.length > 0 ? t('files.lonelyText') : t('files.lonelyTextReadOnly')}
      actions={
        offers.length === 0
          ? undefined
          : offers.map((action) => (
              <Button key={action.id} look="line" icon={action.icon} onClick={() => void perform(action)}>
                {t(action.label)}
              </Button>
            ))
      }
    />
  )
}
