import { useId } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { canChooseFolders } from './entry-points.ts'
import styles from './ResumeOffer.module.css'
import { continueInterrupted, continueWith, discardInterrupted, type Interrupted, isNested } from './resume.ts'

/** After a reload: shall what was under way go on? */
export function ResumeOffer({ interrupted }: { interrupted: readonly Interrupted[] }) {
  const { t } = useTranslation()
  const fieldId = useId()
  const [first] = interrupted
  if (first === undefined) return null

  const count = interrupted.length
  const isWanting = interrupted.every(({ source }) => source === null)
  const wantsFolder = canChooseFolders() && interrupted.every(isNested)
  return (
    <div className={styles.offer}>
      <h2 className={styles.title}>{t('upload.interrupted', { count })}</h2>
      <p className={styles.text}>
        {isWanting
          ? t(count === 1 ? 'upload.fileWanted' : 'upload.filesWanted', { name: first.name })
          : t('upload.interruptedText')}
      </p>
      <div className={styles.buttons}>
        <Button size="small" onClick={() => void discardInterrupted()}>
          {t('upload.discard')}
        </Button>
        {isWanting ? (
          <Button look="primary" size="small" onClick={() => document.getElementById(fieldId)?.click()}>
            {t('upload.chooseFiles')}
          </Button>
        ) : (
          <Button look="primary" size="small" onClick={() => void continueInterrupted()}>
            {t('upload.continue')}
          </Button>
        )}
      </div>
      <input
        hidden
        type="file"
        id={fieldId}
        data-testid="upload-again-input"
        multiple
        ref={(field) => void field?.toggleAttribute('webkitdirectory', wantsFolder)}
        onChange={(event) => continueWith([...(event.currentTarget.files ?? [])])}
      />
    </div>
  )
}
