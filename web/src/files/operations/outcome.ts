import { isInside, type Job } from '@filestead/contract'
import { failureOf, leftOutText } from '../../activity/job-texts.ts'

/** What became of entries that were changed together. */
export interface Outcome<Item> {
  done: Item[]
  failed: { item: Item; error: unknown }[]
  /** Not begun, or broken off, because the person said stop. */
  left: Item[]
  /** Work that went on in the background takes no selection away when it ends. */
  by: 'user' | 'background'
}

export interface JobOutcome<Item> extends Outcome<Item> {
  /**
   * Does `done` name the entries, and not only their number? A job that was cancelled, or that has left some out, does not
   * tell which: the listings have to be asked.
   */
  isCertain: boolean
  /** Entries that were left out, because their names were taken. */
  skipped: number
  /** What the target cannot have of them, in a sentence. */
  leftOut: string | null
  /** The paths that entries have now, by those that they had. */
  arrived: ReadonlyMap<string, string>
  /** The ids of the jobs that did it, by which it can be taken back. */
  jobs: readonly string[]
}

/** So many failures a job tells; there may be more. */
const mostFailures = 100

interface Ended<Item> {
  items: readonly Item[]
  job: Job
  by: Outcome<Item>['by']
  /** The answer to the first try was lost: what is not there any more was changed by it. */
  wasLost?: boolean
}

export function outcomeOf<Item extends { path: string }>({
  items,
  job,
  by,
  wasLost = false,
}: Ended<Item>): JobOutcome<Item> {
  const { state, finished, skipped, failures, problem, renamed } = job
  const told = wasLost && job.kind !== 'copy' ? failures.filter(({ code }) => code !== 'not-found') : failures
  const failed = items.flatMap((item) => {
    const failure = told.find(({ path }) => isInside(path, item.path))
    return failure === undefined ? [] : { item, error: failureOf(failure) }
  })
  const others = items.filter((item) => failed.every((failure) => failure.item !== item))
  const arrived = new Map(renamed.map(({ from, to }) => [from, to]))
  const rest = { by, skipped, arrived, failed, jobs: [job.id], leftOut: leftOutText(job.leftOut) }
  if (state === 'cancelled') {
    const done = others.slice(0, Math.max(0, finished - skipped - failed.length))
    return { ...rest, done, left: others.slice(done.length + skipped), isCertain: false }
  }
  // The job as a whole came to an end: rights were taken away, or the disk was full.
  if (state === 'failed' && problem !== undefined && failed.length === 0) {
    const error = failureOf(problem)
    const done = others.slice(0, Math.max(0, finished - skipped))
    const undone = others.slice(done.length + skipped)
    return { ...rest, done, failed: undone.map((item) => ({ item, error })), left: [], isCertain: false }
  }
  const isCertain = skipped === 0 && failures.length < mostFailures
  return { ...rest, done: others.slice(0, others.length - skipped), left: [], isCertain }
}

/** Several jobs do what is too much for one. */
export const together = <Item>(outcomes: readonly JobOutcome<Item>[], by: Outcome<Item>['by']): JobOutcome<Item> => ({
  done: outcomes.flatMap(({ done }) => done),
  failed: outcomes.flatMap(({ failed }) => failed),
  left: outcomes.flatMap(({ left }) => left),
  by,
  isCertain: outcomes.every(({ isCertain }) => isCertain),
  skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
  leftOut: outcomes.find(({ leftOut }) => leftOut !== null)?.leftOut ?? null,
  arrived: new Map(outcomes.flatMap(({ arrived }) => [...arrived])),
  jobs: outcomes.flatMap(({ jobs }) => jobs),
})
