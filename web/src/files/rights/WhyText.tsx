import type { Subject } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { whyQuery } from '../../server/queries/grants.ts'
import { Button, Spinner } from '../../ui/Button.tsx'
import { FailureNote } from '../../ui/FailureNote.tsx'
import type { Place } from './places.ts'
import { RightsMarks } from './RightsMarks.tsx'
import styles from './WhyText.module.css'

/** The rights of one person at a place, what decides them, and what would have to change. */
export function WhyText({ subject, place: { mount, folder } }: { subject: Subject; place: Place }) {
  const { t } = useTranslation()
  const { data: why, error, refetch } = useQuery(whyQuery(subject, mount, folder))
  if (error !== null)
    return (
      <div>
        <FailureNote>{describeFailure(error)}</FailureNote>
        <Button size="small" look="line" icon="retry" onClick={() => void refetch()}>
          {t('buttons.tryAgain')}
        </Button>
      </div>
    )
  if (why === undefined)
    return (
      <p role="status" className={styles.text}>
        <Spinner />
      </p>
    )
  return (
    <div role="status" className={styles.why}>
      <RightsMarks rights={why.rights} />
      {/* In the words of the server, which are the same in its terminal. */}
      <p lang="en" dir="ltr">
        {why.reason}
      </p>
      {why.change !== '' && (
        <p lang="en" dir="ltr" className={styles.text}>
          {why.change}
        </p>
      )}
    </div>
  )
}
