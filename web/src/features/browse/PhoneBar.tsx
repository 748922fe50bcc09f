import { useTranslation } from 'react-i18next'
import { availableActions, perform } from '../../actions/registry.ts'
import { Link } from '../../navigation/Link.tsx'
import { usePlace } from '../../place/place.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { menuItems } from './menu-items.ts'
import styles from './PhoneBar.module.css'

/** What a thumb reaches: the ways of the product at the bottom, and a round button for what is new. */
export function PhoneBar() {
  const { t } = useTranslation()
  const place = usePlace()
  if (place.selection.names.size > 0) return null
  const tabs = availableActions(place, ['search', 'upload', 'activity'])
  const creations = availableActions(place, ['new-folder', 'new-file'])

  return (
    <>
      {creations.length > 0 && (
        <Menu
          label={t('files.new')}
          align="end"
          sections={[menuItems(creations)]}
          trigger={
            <button type="button" className={styles.round} aria-label={t('files.new')}>
              <Icon name="plus" />
            </button>
          }
        />
      )}
      <nav className={styles.bar} aria-label={t('files.browse')}>
        <Link to="/files/" className={styles.tab} aria-current="true">
          <Icon name="folder" />
          {t('files.browse')}
        </Link>
        {tabs.map((action) => (
          <button key={action.id} type="button" className={styles.tab} onClick={() => void perform(action)}>
            <Icon name={action.icon} />
            {t(action.label)}
          </button>
        ))}
      </nav>
    </>
  )
}
