import type { ReactNode, Ref } from 'react'
import { formatSize } from '../../i18n/format.ts'
import { Trans, useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { FileMark } from '../../ui/Icon.tsx'
import { markOf } from '../marks/mark-of.ts'
import styles from './EntrySummary.module.css'

/**
 * The entry that the links lead to. It has the focus when the dialog opens: a field would bring up the keyboard of a
 * phone before anything was read.
 */
export const EntrySummary = ({
  entry,
  children,
  ref,
}: {
  entry: Entry
  children: ReactNode
  ref: Ref<HTMLDivElement>
}) => (
  <div ref={ref} className={styles.entry} tabIndex={-1} data-autofocus>
    <FileMark name={markOf(entry)} />
    {children}
  </div>
)

export function EntryNote({ entry }: { entry: Entry }) {
  const { t } = useTranslation()
  return (
    <p className={styles.text}>
      <bdi className={styles.name}>{entry.name || t('frame.myFiles')}</bdi>
      <span className={styles.note}>
        {entry.isDir ? t('share.folderNote') : t('share.fileNote', { size: formatSize(entry.size) })}
      </span>
    </p>
  )
}

interface SentenceProps {
  entry: Entry
  /** Until when; null for ever. */
  until: string | null
  /** Empty for none. */
  password: string
}

/** What the link will do, as one sentence. */
export function Sentence({ entry, until, password }: SentenceProps) {
  const { t } = useTranslation()
  const forever = password === '' ? 'share.anyone' : 'share.anyonePassword'
  const ending = password === '' ? 'share.anyoneUntil' : 'share.anyoneUntilPassword'
  return (
    <p className={styles.sentence}>
      <Trans
        i18nKey={until === null ? forever : ending}
        components={{
          name: (
            <b>
              <bdi>{entry.name || t('frame.myFiles')}</bdi>
            </b>
          ),
          when: <b>{until}</b>,
          password: <bdi className={styles.password}>{password}</bdi>,
        }}
      />
    </p>
  )
}
