import { nameOf } from '@filestead/contract'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { note } from '../../state/personal-storage.ts'
import { Button } from '../../ui/Button.tsx'
import { type ArchiveFormat, archiveFormats } from './archive-address.ts'
import styles from './FormatDialog.module.css'

interface FormatQuestion {
  count: number
  /** The folder that is packed, or the one that holds the entries. */
  folder: string
  /** Of the entry, where there is only one. */
  name: string | undefined
}

const storageKey = 'filestead.archive'

export function FormatDialog({ count, folder, name, answer }: QuestionProps<FormatQuestion, ArchiveFormat>) {
  const { t } = useTranslation()
  const last = localStorage.getItem(storageKey) ?? 'zip'
  const folderName = folder === '/' ? t('frame.myFiles') : nameOf(folder)

  function choose(format: ArchiveFormat) {
    note(localStorage, storageKey, format)
    answer(format)
  }

  return (
    <QuestionDialog title={t('download.title')} width="narrow" answer={answer}>
      <p className={styles.lead}>
        <bdi>{count === 1 ? t('download.leadOne', { name: name ?? folderName }) : t('download.lead', { count })}</bdi>
      </p>
      <Button
        look="primary"
        size="big"
        icon="download"
        data-autofocus={last === 'zip' ? '' : undefined}
        onClick={() => choose('zip')}
      >
        zip
      </Button>
      <div className={styles.others}>
        <span className={styles.label}>{t('download.otherFormats')}</span>
        {archiveFormats.slice(1).map((format) => (
          <button
            key={format}
            type="button"
            className={`button ${styles.format}`}
            aria-description={format === last ? t('download.lastUsed') : undefined}
            data-last={format === last}
            data-autofocus={format === last ? '' : undefined}
            onClick={() => choose(format)}
          >
            {format}
          </button>
        ))}
      </div>
    </QuestionDialog>
  )
}
