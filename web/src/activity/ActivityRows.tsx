import { isOver, type JobState } from '@filestead/contract'
import { useId } from 'react'
import { showFailure } from '../dialogs/show-failure.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { jobs } from '../server/live/jobs.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { useMedia } from '../ui/media.ts'
import { Progress } from '../ui/Progress.tsx'
import { ActivityRow } from './ActivityRow.tsx'
import styles from './ActivityTray.module.css'
import type { Activity, ListedActivity } from './activities.ts'
import { JobRow } from './JobRow.tsx'
import { jobTitle } from './job-texts.ts'
import { dismissJob } from './jobs.ts'
import { focusContent, useTray } from './tray.ts'

/** Activities and jobs, a row each. Where they would cover the page, one line stands for all of them until it is unfolded. */
export function ActivityRows({ rows }: { rows: readonly ListedActivity[] }) {
  const { t } = useTranslation()
  // Which rows there are changes with the activities, their order with the states of jobs.
  jobs.use()
  const { isOpen, isOverViewer, setIsOpen } = useTray('jobs')
  const isNarrow = useMedia('narrow')
  const listId = useId()
  const hasJobs = rows.some(({ job }) => job !== undefined)
  const hasHead = hasJobs && (isNarrow || isOverViewer || !isOpen || rows.length > 1)
  const isListed = isOpen || !hasHead
  return (
    <section aria-label={t('activity.title')}>
      {hasHead && (
        <header className={styles.head}>
          <Summary rows={rows} isFolded={!isOpen} />
          <IconButton
            icon={isOpen ? 'chevron-down' : 'chevron-up'}
            label={t('jobs.toggle')}
            small
            aria-expanded={isOpen}
            aria-controls={listId}
            onClick={() => setIsOpen(!isOpen)}
          />
        </header>
      )}
      <ul id={listId} hidden={!isListed} className={styles.rows}>
        {isListed &&
          rows
            .toSorted((one, other) => weightOf(one) - weightOf(other))
            .map(({ job, ...activity }) =>
              job === undefined ? (
                <ActivityRow key={activity.id} activity={activity} />
              ) : (
                <KnownJobRow key={activity.id} activity={activity} job={job} />
              ),
            )}
      </ul>
    </section>
  )
}

const KnownJobRow = ({ activity, job }: { activity: Activity; job: NonNullable<Activity['job']> }) => (
  <JobRow activity={activity} job={job.use()} />
)

/** What waits for the person comes first, what is over last. */
const order: readonly JobState[] = ['asking', 'running', 'paused', 'queued', 'failed', 'done', 'cancelled']

const weightOf = ({ job }: Activity): number => (job === undefined ? 0 : order.indexOf(job.get().state))

interface SummaryProps {
  rows: readonly ListedActivity[]
  isFolded: boolean
}

/** How much is under way, and folded up how far it is. */
function Summary({ rows, isFolded }: SummaryProps) {
  const { t } = useTranslation()
  const [over, underWay] = [true, false].map((isEnd) =>
    rows.filter(({ job }) => (job !== undefined && isOver(job.get().state)) === isEnd),
  ) as [ListedActivity[], ListedActivity[]]
  const [only] = rows
  const isOne = rows.length === 1
  const counted =
    underWay.length > 0 ? t('jobs.underWay', { count: underWay.length }) : t('jobs.over', { count: over.length })
  // Unfolded, the row below tells which one it is.
  const text = isOne && isFolded && only?.job !== undefined ? jobTitle(only.job.get()) : counted
  const known = underWay.flatMap(({ status }) => status.get().progress ?? [])
  const percent = known.length === 0 ? 0 : (known.reduce((sum, each) => sum + each, 0) / known.length) * 100
  async function clear(): Promise<void> {
    focusContent()
    for (const { job } of over) if (job !== undefined) await dismissJob(job.get().id)
  }
  return (
    <>
      <div className={styles.summary}>
        <h2>{text}</h2>
        {isFolded && underWay.length > 0 && <Progress label={t('activity.title')} value={percent} />}
      </div>
      {!isFolded && over.length > 1 && (
        <Button look="link" size="small" onClick={() => void clear().catch(showFailure)}>
          {t('jobs.clear')}
        </Button>
      )}
    </>
  )
}
