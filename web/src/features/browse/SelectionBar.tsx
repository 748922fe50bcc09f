import { useTranslation } from 'react-i18next'
import { availableActions, perform } from '../../actions/registry.ts'
import { shownShortcut } from '../../actions/shortcuts.ts'
import { formatSize } from '../../i18n/format.ts'
import type { TextKey } from '../../i18n/i18n.ts'
import { clearSelection, usePlace } from '../../place/place.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useMedia } from '../../ui/media.ts'
import { Toolbar } from '../../ui/Toolbar.tsx'
import styles from './Toolbars.module.css'

/** All that the bar offers where the toolbar of the folder is covered or far away. */
export const wholeBar: readonly string[] = ['download', 'share', 'rename', 'copy', 'move', 'info', 'delete']
/** A phone has the menu "More" for the rest: the words of every language fit into one row. */
const phoneBar = wholeBar.filter((id) => id !== 'info')
const shortBar = phoneBar.filter((id) => id !== 'download')

/** What can be done with what is chosen. Lies in free room of the toolbar, or over it; on touch it is a sheet. */
export function SelectionBar({ isWhole }: { isWhole: boolean }) {
  const { t } = useTranslation()
  const place = usePlace()
  const isPhone = useMedia('narrow')
  const isSheet = useMedia('sheet')
  const count = place.selection.names.size
  if (count === 0 || place.view !== 'listing') return null
  const actions = availableActions(place, isPhone ? phoneBar : isWhole ? wholeBar : shortBar)
  const bytes = place.chosen.reduce((sum, entry) => sum + (entry.isDir ? 0 : entry.size), 0)

  return (
    <Toolbar label={t('files.selectionActions')} className={styles.selection} id="file-selection">
      <IconButton small icon="x" label={t('files.clearSelection')} hint="Esc" onClick={clearSelection} />
      <span role="status" className={styles.chosen}>
        {t('files.selected', { count })}
      </span>
      {bytes > 0 && <bdi className={styles.bytes}>{formatSize(bytes)}</bdi>}
      <span className={styles.break} />
      {actions.map((action) => (
        <button
          key={action.id}
          type="button"
          id={buttonIds[action.id]}
          className={`action ${styles.action}`}
          data-danger={action.isDanger}
          aria-label={t(action.label)}
          title={
            action.shortcut === undefined ? t(action.label) : `${t(action.label)} (${shownShortcut(action.shortcut)})`
          }
          onClick={() => void perform(action)}
        >
          <Icon name={action.icon} />
          <span>{t((isSheet && shortLabels[action.id]) || action.label)}</span>
        </button>
      ))}
    </Toolbar>
  )
}

/** A sheet has room for one word each. */
const shortLabels: Record<string, TextKey> = { copy: 'change.copy', move: 'change.move' }

/** The names that installed custom style sheets know. */
const buttonIds: Record<string, string> = { copy: 'copy-button', move: 'move-button', delete: 'delete-button' }
