import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { formatSize } from '../../i18n/format.ts'
import { Trans, useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Button } from '../../ui/Button.tsx'
import { NamedText } from '../../ui/NamedText.tsx'
import { NameList } from './name-list.tsx'
import styles from './RemoveDialog.module.css'

/** Is it meant? Enter answers no: nothing brings back what is deleted. */
export function RemoveDialog({ entries, answer }: QuestionProps<{ entries: readonly Entry[] }, true>) {
  const { t } = useTranslation()
  const folders = entries.filter(({ isDir }) => isDir).length
  const count = entries.length
  const whole = folders === 0 ? t('change.deleteFiles', { count }) : t('change.deleteItems', { count })
  const counted = count > 1 ? whole : undefined
  const bytes = entries.reduce((sum, { size }) => sum + size, 0)

  return (
    <QuestionDialog
      title={t('change.deleteTitle')}
      isAlert
      width="narrow"
      answer={answer}
      isCancelFirst
      actions={
        <Button look="danger" aria-description={counted} onClick={() => answer(true)}>
          <NamedText name={t('buttons.delete')} shown={counted ?? t('buttons.delete')} />
        </Button>
      }
    >
      <p className={styles.question}>
        <Trans i18nKey="change.deleteQuestion" components={{ names: <NameList entries={entries} /> }} />
      </p>
      {/* What lies in a folder is not counted: a size without it would say too little. */}
      {folders === 0 && <p className={styles.note}>{t('change.deleteSize', { size: formatSize(bytes) })}</p>}
      {folders > 0 && (
        <p className={styles.note}>
          {folders === 1 ? t('change.deleteFolder') : t('change.deleteFolders', { count: folders })}
        </p>
      )}
    </QuestionDialog>
  )
}
