import { isOver, type Job, nameOf } from '@filestead/contract'
import { showFailure } from '../dialogs/show-failure.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { withoutMarks } from '../i18n/placeholders.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Progress } from '../ui/Progress.tsx'
import type { Activity } from './activities.ts'
import { activityIcons } from './activity-icons.ts'
import { answerJob } from './answers.ts'
import styles from './JobRow.module.css'
import { isWaiting } from './job-outage.ts'
import { jobLines, jobName, jobProgress, jobTitle, problemOf, shareOf } from './job-texts.ts'
import { dismissJob } from './jobs.ts'
import { notices, wantNotices } from './notices.ts'
import { TrayRow } from './TrayRow.tsx'
import { focusContent } from './tray.ts'

/** One job: what it is, how far it is, what keeps it from going on, and what can be done about it. */
export function JobRow({ activity, job }: { activity: Activity; job: Job }) {
  const name = withOwner(job, jobName(job))
  const progress = jobProgress(job)
  const isFailed = job.state === 'failed'
  return (
    <TrayRow
      label={name}
      data-state={job.state}
      data-job=""
      picture={<Picture job={job} />}
      title={<bdi title={jobTitle(job)}>{withOwner(job, jobTitle(job))}</bdi>}
      bar={
        !isOver(job.state) && (
          <Progress label={name} value={(progress ?? 0) * 100} text={shareOf(job)} isFailed={isFailed} />
        )
      }
      state={<JobState job={job} />}
      end={<JobButtons activity={activity} job={job} name={name} />}
      below={<JobOffers activity={activity} job={job} name={name} />}
    />
  )
}

/** Only administrators are told whose job it is. */
const withOwner = ({ owner }: Job, title: string): string => (owner === undefined ? title : `${title} · ${owner.name}`)

function Picture({ job: { kind, state } }: { job: Job }) {
  if (state === 'done') return <Icon name="check" />
  return <Icon name={state === 'failed' || state === 'asking' ? 'warn' : activityIcons[kind]} />
}

function JobState({ job }: { job: Job }) {
  const { t } = useTranslation()
  const isLate = isWaiting.use() && !isOver(job.state)
  const problem = problemOf(job)
  const { lead, numbers } = jobLines(job)
  const { current, state } = job
  return (
    <>
      <div className={styles.lead}>{parts(isLate ? [t('upload.waitingForServer')] : lead)}</div>
      {numbers.length > 0 && <div className={styles.line}>{parts(numbers)}</div>}
      {state === 'running' && current !== undefined && problem === null && (
        <div className={styles.line} title={current}>
          <bdi>{nameOf(current)}</bdi>
        </div>
      )}
      {problem !== null && <p className={styles.problem}>{problem}</p>}
    </>
  )
}

/** "a · b", each part with a direction of its own. */
const parts = (texts: readonly string[]) =>
  texts.map((text, index) => (
    <span key={text}>
      {index > 0 && ' · '}
      <bdi>{text}</bdi>
    </span>
  ))

interface JobPartProps {
  activity: Activity
  job: Job
  name: string
}

function JobButtons({ activity, job: { id, kind, state, to }, name }: JobPartProps) {
  const { t } = useTranslation()
  const isPaused = state === 'paused'
  const title = name
  // What is one file in the end is not there before.
  const isMade = state === 'done' || kind === 'copy' || kind === 'move' || kind === 'extract'
  const hasTarget = kind === 'delete' ? !isOver(state) : to !== undefined && isMade && state !== 'failed'
  return (
    <>
      {(state === 'running' || isPaused) && (
        <IconButton
          icon={isPaused ? 'play' : 'pause'}
          label={withoutMarks(t('jobs.pause', { title }))}
          small
          aria-pressed={isPaused}
          onClick={() => (isPaused ? activity.resume?.() : activity.pause?.())}
        />
      )}
      {hasTarget && (
        <IconButton
          icon={kind === 'delete' ? 'full' : 'folder'}
          label={withoutMarks(t('activity.show', { title }))}
          small
          onClick={() => activity.show?.()}
        />
      )}
      <IconButton
        icon="x"
        label={withoutMarks(t(isOver(state) ? 'jobs.dismiss' : 'activity.stop', { title }))}
        small
        onClick={() => {
          if (isOver(state)) void dismissJob(id).catch(showFailure)
          else activity.cancel()
          focusContent()
        }}
      />
    </>
  )
}

/** A notice is offered for what lasts longer than that, in seconds. */
const worthNotice = 20

function JobOffers({ activity, job, name: title }: JobPartProps) {
  const { t } = useTranslation()
  const mayAsk = notices.use() === 'unasked'
  const { state, conflicts, secondsLeft = 0 } = job
  if (!isOver(state) && conflicts.length > 0)
    return (
      <Offer name={withoutMarks(t('jobs.answerFor', { title }))} onClick={() => answerJob(job)}>
        {t('jobs.answer')}
      </Offer>
    )
  if (state === 'failed')
    return (
      <Offer name={withoutMarks(t('jobs.retry', { title }))} onClick={() => activity.retry?.()}>
        {t('buttons.tryAgain')}
      </Offer>
    )
  if (state !== 'running' || !mayAsk || secondsLeft < worthNotice) return null
  return (
    <div className={styles.offer}>
      <Button look="link" size="small" onClick={() => void wantNotices().catch(showFailure)}>
        {t('jobs.tellMe')}
      </Button>
    </div>
  )
}

const Offer = ({ name, onClick, children }: { name: string; onClick: () => void; children: string }) => (
  <div className={styles.offer}>
    <Button look="line" size="small" aria-label={name} onClick={onClick}>
      {children}
    </Button>
  </div>
)
