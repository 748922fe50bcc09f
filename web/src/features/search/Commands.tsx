import { useTranslation } from 'react-i18next'
import type { FileAction } from '../../actions/action.ts'
import { allActions, perform } from '../../actions/registry.ts'
import { shownShortcut } from '../../actions/shortcuts.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { usePlace } from '../../place/place.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Commands.module.css'

/** What can be done here, narrowed by the words typed so far; a path leads straight there. */
export function Commands({ text, onDone }: { text: string; onDone: () => void }) {
  const { t } = useTranslation()
  const place = usePlace()
  const words = text.trim().toLowerCase()
  const offered = allActions().filter(
    (action) => action.id !== 'palette' && action.isAvailable(place) && t(action.label).toLowerCase().includes(words),
  )

  function run(action: FileAction) {
    onDone()
    // The box has to be gone before the action opens a question of its own: focus goes back through it.
    setTimeout(() => void perform(action))
  }

  async function goTo(path: string) {
    if (await navigate(folderAddress(path.replace(/\/+$/, '') || '/'))) onDone()
  }

  return (
    <ul aria-label={t('search.commands')} className={styles.list}>
      {words.startsWith('/') && (
        <li>
          <button type="button" className={styles.command} data-item="" onClick={() => void goTo(text.trim())}>
            <Icon name="arrow-right" />
            <span className={styles.label}>{t('search.goTo', { path: text.trim() })}</span>
          </button>
        </li>
      )}
      {offered.map((action) => (
        <li key={action.id}>
          <button type="button" className={styles.command} data-item="" onClick={() => run(action)}>
            <Icon name={action.icon} />
            <span className={styles.label}>{t(action.label)}</span>
            {action.shortcut !== undefined && (
              <span className={styles.keys} aria-hidden="true">
                {shownShortcut(action.shortcut)}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  )
}
