import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import { isMedia } from '../../ui/media.ts'
import { PlacedDialog } from '../../ui/PlacedDialog.tsx'
import { openChooser } from './entry-points.ts'
import styles from './UploadDialog.module.css'

/** Files, or a whole folder? Hangs from the button "Upload" where a mouse is near it; else a dialog like others. */
export function UploadDialog({ answer }: QuestionProps<object, never>) {
  const { t } = useTranslation()
  const [button] = useState(buttonInSight)
  const isBelow = button !== null

  function choose(kind: 'file' | 'folder') {
    openChooser(kind)
    answer(null)
  }

  const choices = (
    <div className={isBelow ? styles.lines : styles.tiles}>
      <button type="button" className={`action ${styles.choice}`} data-autofocus onClick={() => choose('file')}>
        <Icon name="file-plus" />
        {t('upload.file')}
      </button>
      <button type="button" className={`action ${styles.choice}`} onClick={() => choose('folder')}>
        <Icon name="folder-plus" />
        {t('upload.folder')}
      </button>
    </div>
  )
  if (!isBelow)
    return (
      <QuestionDialog title={t('upload.upload')} width="narrow" answer={answer}>
        {choices}
      </QuestionDialog>
    )
  return (
    <PlacedDialog title={t('upload.upload')} at={button} isBelow onClose={() => answer(null)}>
      {choices}
      <button type="button" className={styles.cancel} onClick={() => answer(null)}>
        {t('buttons.cancel')}
      </button>
    </PlacedDialog>
  )
}

function buttonInSight(): Element | null {
  const button = document.getElementById('upload-button')
  return !isMedia('coarse') && button?.checkVisibility({ visibilityProperty: true }) ? button : null
}
