import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import { openChooser } from './entry-points.ts'
import styles from './UploadDialog.module.css'

/** Files, or a whole folder? */
export function UploadDialog({ answer }: QuestionProps<object, never>) {
  const { t } = useTranslation()

  function choose(kind: 'file' | 'folder') {
    openChooser(kind)
    answer(null)
  }

  return (
    <QuestionDialog title={t('upload.upload')} width="narrow" answer={answer}>
      <p className={styles.text}>{t('upload.question')}</p>
      <div className={styles.tiles}>
        <button type="button" className={`action ${styles.tile}`} data-autofocus onClick={() => choose('file')}>
          <Icon name="file-plus" />
          {t('upload.file')}
        </button>
        <button type="button" className={`action ${styles.tile}`} onClick={() => choose('folder')}>
          <Icon name="folder-plus" />
          {t('upload.folder')}
        </button>
      </div>
    </QuestionDialog>
  )
}
