import { jobsUnderWay, useActivities } from '../../activity/activities.ts'
import { openTray } from '../../activity/tray.ts'
import { menuItems } from '../../commands/menu-items.ts'
import { run, useCommandsIn, useOffered } from '../../commands/registry.ts'
import { formatNumber } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import styles from './PhoneBar.module.css'

/** The navigation bar of a phone, at the bottom, and the round button that creates entries. */
export function PhoneBar() {
  const { t } = useTranslation()
  const isSelecting = useWorkspace(({ selection }) => selection.names.size > 0)
  const isAtRoot = useWorkspace(({ folder }) => folder === '/')
  const tabs = useCommandsIn('phone-bar')
  const upload = useOffered('upload')
  const creations = [...(upload === undefined ? [] : [upload]), ...useCommandsIn('new')]
  const isSelectingMany = useWorkspace((workspace) => workspace.isSelectingMany)
  const hasActivity = useActivities(({ length }) => length > 0)
  const underWay = jobsUnderWay.use()
  if (isSelecting) return null

  return (
    <>
      {/* It would lie on the button that ends the mode for several. */}
      {creations.length > 0 && !isSelectingMany && (
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
        <Link to="/files/" className={styles.tab} aria-current={isAtRoot ? 'page' : undefined}>
          <Icon name="folder" />
          {t('files.browse')}
        </Link>
        {tabs.map((command) => (
          <button key={command.id} type="button" className={styles.tab} onClick={() => void run(command)}>
            <Icon name={command.icon} />
            {t(command.label)}
          </button>
        ))}
        {hasActivity && (
          <button
            type="button"
            className={styles.tab}
            aria-label={t('activity.title')}
            aria-description={underWay > 0 ? formatNumber(underWay) : undefined}
            onClick={openTray}
          >
            <span className={styles.badged} data-badge={underWay || undefined}>
              <Icon name="activity" />
            </span>
            {t('activity.title')}
          </button>
        )}
      </nav>
    </>
  )
}
