import type { Job } from '@filestead/contract'
import { perSession, sessionStore } from '../../state/session-scope.ts'
import { getJson } from '../client.ts'

/** The jobs of the account, from whichever device, newest first. Null until the server has told. */
export const jobs = sessionStore<readonly Job[] | null>(null)

/** Hears of every change of a job. `before` is undefined where the job is new here. */
type JobListener = (job: Job, before: Job | undefined) => void

const state = perSession(() => ({
  listeners: new Set<JobListener>(),
  answerListeners: new Set<(job: Job) => void>(),
  /** When the server told of each job last, without having been asked. In milliseconds of the page. */
  toldAt: new Map<string, number>(),
  /** When an answer told of each job last. */
  answeredAt: new Map<string, number>(),
}))

/** Calls the listener whenever a job of the present session has changed. Answers how to stop that. */
export function onJob(listener: JobListener): () => void {
  const { listeners } = state()
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * An answer tells about a job. `askedAt` is the time of the page (`performance.now()`) at which the request was sent: what
 * the server has told since is newer than the answer, and stays.
 */
export function noteJob(job: Job, askedAt: number): void {
  const { answeredAt, answerListeners } = state()
  answeredAt.set(job.id, performance.now())
  if (isSince(state().toldAt.get(job.id), askedAt)) return
  put(job)
  for (const listener of answerListeners) listener(job)
}

const isSince = (time: number | undefined, since: number): boolean => time !== undefined && time > since

/** Calls the listener when an answer has told about a job, which other tabs do not know of. Answers how to stop that. */
export function onAnsweredJob(listener: (job: Job) => void): () => void {
  const { answerListeners } = state()
  answerListeners.add(listener)
  return () => void answerListeners.delete(listener)
}

/** Another tab was told about a job, at about this time. */
export function noteJobOfTab(job: Job): void {
  if (!isSince(state().toldAt.get(job.id), performance.now() - tabsApart)) put(job)
}

/** What another tab knows may be so much older than what this one knows, in milliseconds. */
const tabsApart = 10_000

/** The server tells about a job by itself. */
export function tellJob(job: Job): void {
  state().toldAt.set(job.id, performance.now())
  put(job)
}

/** The job is listed no longer. */
export function dropJob(id: string): void {
  state().toldAt.set(id, performance.now())
  const known = jobs.get()
  if (known?.some((job) => job.id === id)) jobs.set(known.filter((job) => job.id !== id))
}

/** Asks for all jobs, without the person having asked: the answer does not keep the session alive. */
export async function readJobs(signal: AbortSignal): Promise<readonly Job[]> {
  const askedAt = performance.now()
  const list = await getJson<Job[]>('jobs', { signal, isBackground: true })
  signal.throwIfAborted()
  noteJobs(list, askedAt)
  return jobs.get() ?? list
}

/**
 * The whole list, as it was at that time or later. What the server has told of since stays as it was told. Without a time
 * it is what another tab knows.
 */
export function noteJobs(list: readonly Job[], askedAt = performance.now() - tabsApart): void {
  const before = jobs.get() ?? []
  const { toldAt, answeredAt } = state()
  const isNewer = ({ id }: Job) => isSince(toldAt.get(id), askedAt) || isSince(answeredAt.get(id), askedAt)
  const told = before.filter(isNewer)
  const others = list.filter((job) => !isNewer(job))
  jobs.set(newestFirst([...told, ...others]))
  for (const job of others) {
    const known = before.find(({ id }) => id === job.id)
    if (!isSame(job, known)) announce(job, known)
  }
}

function put(job: Job): void {
  const known = jobs.get() ?? []
  const before = known.find(({ id }) => id === job.id)
  if (isSame(job, before)) return
  jobs.set(newestFirst([...known.filter(({ id }) => id !== job.id), job]))
  announce(job, before)
}

function announce(job: Job, before: Job | undefined): void {
  for (const listener of state().listeners) listener(job, before)
}

const isSame = (job: Job, before: Job | undefined): boolean =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(job)

const newestFirst = (list: readonly Job[]): Job[] => list.toSorted((a, b) => b.createdAt - a.createdAt)
