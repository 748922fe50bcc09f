import type { TakeoverReport } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Badge } from '../../ui/Table.tsx'
import { groupChanges } from './group-changes.ts'
import styles from './TakeoverDialog.module.css'

/** What is different after the move from File Browser, and where to look after it. Answers true when it was read. */
export function TakeoverDialog({ report, answer }: QuestionProps<{ report: TakeoverReport }, true>) {
  const { t } = useTranslation()
  const { users, shares, rules } = report.taken
  const groups = groupChanges(report.changes)
  const { data: mounts } = useQuery(mountsQuery())
  const isUndecided = mounts?.some(({ history }) => history?.trash === 'ask') === true

  return (
    <Dialog
      title={t('takeover.title')}
      width="widest"
      onClose={() => answer(null)}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer(true)}>
          {t('buttons.ok')}
        </Button>
      }
    >
      <p>{t('takeover.text', { from: report.from })}</p>
      <p className={styles.taken}>
        <Badge>{t('takeover.users', { count: users })}</Badge>
        <Badge>{t('takeover.links', { count: shares })}</Badge>
        <Badge>{t('takeover.rules', { count: rules })}</Badge>
      </p>
      {isUndecided && <p>{t('history.keep.takeover')}</p>}
      <p>{groups.length === 0 ? t('takeover.nothing') : t('takeover.different')}</p>
      {groups.length > 0 && (
        <ul className={styles.changes} aria-label={t('takeover.title')}>
          {groups.map(({ code, message, advice, link, subjects }) => (
            <li key={code} className={styles.change}>
              <p className={styles.message}>{message}</p>
              {subjects.length > 0 && (
                <p className={styles.subjects}>
                  {subjects.map((subject) => (
                    <bdi key={subject} className={styles.subject}>
                      {subject}
                    </bdi>
                  ))}
                </p>
              )}
              <p className={styles.advice}>{advice}</p>
              {link !== undefined && (
                <Link to={link} className={styles.link}>
                  {t('takeover.lookAfter')}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
