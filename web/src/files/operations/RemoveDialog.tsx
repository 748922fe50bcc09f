import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { formatSize } from '../../i18n/format.ts'
import { Trans, useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Button } from '../../ui/Button.tsx'
import { NamedText } from '../../ui/NamedText.tsx'
import { Checkbox } from '../../ui/Tick.tsx'
import { NameList } from './name-list.tsx'
import styles from './RemoveDialog.module.css'

export type Removal = 'trash' | 'for-good'

interface RemoveQuestion {
  entries: readonly Entry[]
  wanted: Removal
}

type RemoveProps = QuestionProps<RemoveQuestion, Removal>

/** Is it meant, and how? Enter answers no. */
export const RemoveDialog = (props: RemoveProps) => <Question {...props} hasTrash />

/** Where nothing is kept: what is deleted is deleted for good. */
export const FinalRemoveDialog = (props: RemoveProps) => <Question {...props} hasTrash={false} />

function Question({ entries, hasTrash, wanted, answer }: RemoveProps & { hasTrash: boolean }) {
  const { t } = useTranslation()
  const [isForGood, setIsForGood] = useState(!hasTrash || wanted === 'for-good')
  const folders = entries.filter(({ isDir }) => isDir).length
  const count = entries.length
  const whole = folders === 0 ? t('change.deleteFiles', { count }) : t('change.deleteItems', { count })
  const counted = count > 1 ? whole : undefined

  return (
    <QuestionDialog
      title={t('change.deleteTitle')}
      isAlert
      width="narrow"
      answer={answer}
      isCancelFirst
      actions={
        <Button
          look={isForGood ? 'danger' : 'primary'}
          aria-description={counted}
          onClick={() => answer(isForGood ? 'for-good' : 'trash')}
        >
          <NamedText name={t('buttons.delete')} shown={counted ?? t('buttons.delete')} />
        </Button>
      }
    >
      <p className={styles.question}>
        <Trans i18nKey="change.deleteQuestion" components={{ names: <NameList entries={entries} /> }} />
      </p>
      <p className={styles.note}>
        {isForGood ? <Loss entries={entries} folders={folders} /> : t('change.toTrash', { count })}
      </p>
      {hasTrash && (
        <div className={styles.way}>
          <Checkbox
            label={t('change.forGood')}
            checked={isForGood}
            onChange={({ target }) => setIsForGood(target.checked)}
          />
        </div>
      )}
    </QuestionDialog>
  )
}

/** What lies in a folder is not counted: a size without it would say too little. */
function Loss({ entries, folders }: { entries: readonly Entry[]; folders: number }) {
  const { t } = useTranslation()
  const bytes = entries.reduce((sum, { size }) => sum + size, 0)
  if (folders === 0) return t('change.deleteSize', { size: formatSize(bytes) })
  return folders === 1 ? t('change.deleteFolder') : t('change.deleteFolders', { count: folders })
}
