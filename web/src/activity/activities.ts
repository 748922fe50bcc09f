import type { Job, JobKind } from '@filestead/contract'
import type { ComponentType } from 'react'
import { perSession, sessionStore, useScope } from '../state/session-scope.ts'
import { createStore, type Store } from '../state/store.ts'

export interface ActivityStatus {
  readonly title: string
  /** How far it is, in words. */
  readonly text: string
  /** The same in short, for a progress bar: "3 of 12". */
  readonly share?: string
  /** From 0 to 1, or null while the end is not known. */
  readonly progress: number | null
  readonly state: 'running' | 'waiting' | 'paused' | 'over'
  /** Does it wait for an answer about names that are taken? */
  readonly isAsking?: boolean
}

/** Work that goes on beside what the person does: uploads, batches of changes, a folder that is read. */
export interface Activity {
  readonly kind: 'upload' | 'reading' | JobKind
  readonly status: Pick<Store<ActivityStatus>, 'get' | 'use'>
  pause?(): void
  resume?(): void
  /** Another try for everything that failed. */
  retry?(): void
  cancel(): void
  /** Asks the person what it waits for. */
  answer?(): void
  /** Leads to the result, or to more about it. */
  show?(): void
  /** A job of the server, whose row tells more. */
  readonly job?: Pick<Store<Job>, 'get' | 'use'>
  /** Drawn instead of a row, where the room that does the work has more to show. */
  readonly Panel?: ComponentType<{ activity: Activity }>
}

export interface ListedActivity extends Activity {
  readonly id: number
}

/** How many jobs of the server are under way. */
export const jobsUnderWay = sessionStore(0)

const list = perSession(() => ({ store: createStore<readonly ListedActivity[]>([]), lastId: 0 }))

/** Puts an activity into the tray of the present session. Returns how to take it out. */
export function addActivity(activity: Activity): () => void {
  const own = list()
  const { store } = own
  own.lastId += 1
  const listed = { ...activity, id: own.lastId }
  store.set([...store.get(), listed])
  return () => store.set(store.get().filter((each) => each !== listed))
}

export function useActivities(): readonly ListedActivity[]
export function useActivities<Selected>(select: (activities: readonly ListedActivity[]) => Selected): Selected
export function useActivities(select?: (activities: readonly ListedActivity[]) => unknown): unknown {
  return list(useScope()).store.use(select ?? whole)
}

const whole = (all: readonly ListedActivity[]): unknown => all
