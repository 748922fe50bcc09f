import { Trans, useTranslation } from 'react-i18next'
import type { Entry } from '../../api/resources.ts'
import { formatSize } from '../../i18n/format.ts'
import { PromptDialog } from '../../prompts/PromptDialog.tsx'
import type { PromptProps } from '../../prompts/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { NameList } from './name-list.tsx'
import styles from './RemovePrompt.module.css'

/** Is it meant? Where folders go, Enter answers no: what is inside them is out of sight. */
export function RemovePrompt({ entries, answer }: PromptProps<{ entries: readonly Entry[] }, true>) {
  const { t } = useTranslation()
  const folders = entries.filter(({ isDir }) => isDir).length
  const bytes = entries.reduce((sum, { isDir, size }) => sum + (isDir ? 0 : size), 0)

  return (
    <PromptDialog
      title={t('change.deleteTitle')}
      isAlert
      width="narrow"
      answer={answer}
      isCancelFirst={folders > 0}
      actions={
        <Button look="danger" data-autofocus={folders > 0 ? undefined : ''} onClick={() => answer(true)}>
          {t('buttons.delete')}
        </Button>
      }
    >
      <p className={styles.question}>
        <Trans i18nKey="change.deleteQuestion" components={{ names: <NameList entries={entries} /> }} />
      </p>
      {folders < entries.length && <p className={styles.note}>{t('change.deleteSize', { size: formatSize(bytes) })}</p>}
      {folders > 0 && (
        <p className={styles.note}>
          {folders === 1 ? t('change.deleteFolder') : t('change.deleteFolders', { count: folders })}
        </p>
      )}
    </PromptDialog>
  )
}
