import { useTranslation } from '../../../i18n/i18n.ts'
import type { ConflictQuestion } from './ask-about-conflicts.ts'
import styles from './ConflictDialog.module.css'

/** What is not asked about: what is there already as it is, and what is too much to show. */
export function ConflictNotes({ identical = 0, isCut = false }: ConflictQuestion) {
  const { t } = useTranslation()
  if (identical === 0 && !isCut) return null
  return (
    <p className={styles.lead}>
      {identical > 0 && t('conflict.identical', { count: identical })} {isCut && t('conflict.more')}
    </p>
  )
}
