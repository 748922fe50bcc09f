import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { useMedia } from '../../ui/media.ts'
import { selectMany, useWorkspace } from '../../workspace/workspace.ts'
import styles from './StatusBar.module.css'

/** Below the listing: the counts, and the mode for several while it is on. */
export function StatusBar() {
  const isNarrow = useMedia('narrow')
  const isSelectingMany = useWorkspace((workspace) => workspace.isSelectingMany)
  return (
    <>
      {isSelectingMany && <SelectingMany />}
      {!isNarrow && <Counts />}
    </>
  )
}

function SelectingMany() {
  const { t } = useTranslation()
  return (
    <div className={`active ${styles.strip}`} id="multiple-selection">
      <span role="status">{t('files.multipleEnabled')}</span>
      <Button size="small" onClick={() => selectMany(false)}>
        {t('files.clear')}
      </Button>
    </div>
  )
}

function Counts() {
  const { t } = useTranslation()
  const total = useWorkspace(({ entries }) => entries.length)
  const count = useWorkspace(({ selection }) => selection.names.size)
  const bytes = useWorkspace(({ chosenBytes }) => chosenBytes)
  return (
    <div className={styles.status}>
      <span>{t('files.items', { count: total })}</span>
      {count > 0 && <span>{t('files.selected', { count })}</span>}
      {count > 0 && bytes > 0 && (
        <span>
          <bdi>{formatSize(bytes)}</bdi>
        </span>
      )}
    </div>
  )
}
