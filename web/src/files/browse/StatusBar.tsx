import { useQuery } from '@tanstack/react-query'
import { formatRoughSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { usageQuery } from '../../server/queries/resources.ts'
import { isGuest } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Button } from '../../ui/Button.tsx'
import { useMedia } from '../../ui/media.ts'
import { NamedText } from '../../ui/NamedText.tsx'
import { selectMany, useWorkspace } from '../../workspace/workspace.ts'
import styles from './StatusBar.module.css'

/** Below the listing: the counts once they are known, and the mode for several while it is on. */
export function StatusBar({ isLoading }: { isLoading: boolean }) {
  const isNarrow = useMedia('narrow')
  const isSelectingMany = useWorkspace((workspace) => workspace.isSelectingMany)
  return (
    <>
      {isSelectingMany && <SelectingMany />}
      {!isNarrow && <div className={styles.status}>{!isLoading && <Counts />}</div>}
    </>
  )
}

function SelectingMany() {
  const { t } = useTranslation()
  return (
    <div className={`active ${styles.strip}`} id="multiple-selection">
      <span role="status">{t('files.multipleEnabled')}</span>
      <Button size="small" onClick={() => selectMany(false)}>
        <NamedText name={t('files.clear')} shown={t('listing.done')} />
      </Button>
    </div>
  )
}

/** The selection has its own bar, so the number of entries and the free space are enough. */
function Counts() {
  const { t } = useTranslation()
  const total = useWorkspace(({ entries }) => entries.length)
  return (
    <>
      <span>{t('files.items', { count: total })}</span>
      {!startSettings.DisableUsedPercentage && !isGuest() && <FreeSpace />}
    </>
  )
}

/** On the disk that holds the folder. Nothing where the server does not tell. */
function FreeSpace() {
  const { t } = useTranslation()
  const folder = useWorkspace((workspace) => workspace.folder)
  const { data: usage } = useQuery(usageQuery(folder))
  if (usage === undefined || usage.total === 0) return null
  return <bdi>{t('listing.free', { size: formatRoughSize(Math.max(0, usage.total - usage.used)) })}</bdi>
}
