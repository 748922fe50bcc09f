import { isOver } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../i18n/i18n.ts'
import { readAllJobs } from '../server/queries/jobs.ts'
import styles from './ActivityTray.module.css'
import type { Activity } from './activities.ts'
import { JobRow } from './JobRow.tsx'
import { jobActions } from './jobs.ts'
import { TrayList } from './TrayList.tsx'

/** How often it is asked what goes on, in milliseconds. */
const interval = 2000

/** What goes on for all accounts, while an administrator looks. */
export function AllJobs({ activity }: { activity: Activity }) {
  const { t } = useTranslation()
  const { data } = useQuery({
    queryKey: ['all-jobs'],
    queryFn: ({ signal }) => readAllJobs(signal),
    refetchInterval: interval,
    staleTime: 0,
    gcTime: 0,
  })
  const underWay = data?.filter(({ state }) => !isOver(state)) ?? []
  return (
    <TrayList title={t('activity.all')} closeLabel={t('jobs.closeAll')} activity={activity}>
      <ul className={styles.rows}>
        {underWay.map((job) => (
          <JobRow key={job.id} activity={{ ...activity, ...jobActions(job.id) }} job={job} />
        ))}
      </ul>
      {underWay.length === 0 && data !== undefined && <p className={styles.nothing}>{t('jobs.nothing')}</p>}
    </TrayList>
  )
}
