import type { Kind } from './costs.ts'

/** How people use it. All of this is assumed: put in what your own metrics say. */
export interface Profile {
  /** Of all users, how many are at work in the busiest hour. */
  readonly activeShare: number
  /** What one of them asks for in that hour. A page that is open renews and looks by itself: `check`. */
  readonly perHour: Readonly<Record<Kind, number>>
  /** Requests at the top of a second against the mean of the hour. */
  readonly peak: number
  readonly filesPerUser: number
  readonly uploadsPerDay: number
  readonly sessionsPerUser: number
  /** For how many days rows of what was done are kept. */
  readonly daysOfHistory: number
}

export const office: Profile = {
  activeShare: 0.1,
  perHour: { check: 30, listing: 30, download: 15, upload: 5, 'sign-in': 0.5 },
  peak: 3,
  filesPerUser: 1000,
  uploadsPerDay: 5,
  sessionsPerUser: 2,
  daysOfHistory: 1,
}

/** What one has to run it on. Assumed as well. */
export interface Machines {
  /** Each runs as many processes, and each process is a node. */
  readonly nodeProcessors: number
  readonly databaseProcessors: number
  /** How busy a processor may be for answers to stay quick. */
  readonly use: number
  /** `--databaseConnections` of each process; one more listens. */
  readonly pool: number
  /** That one PostgreSQL holds without a pooler. */
  readonly connections: number
  /** How often a process can look for messages in a second; those that come meanwhile are read together. */
  readonly looksPerSecond: number
  /** Requests a second that a bucket answers for one prefix: what Amazon promises for reads. */
  readonly objectRequests: number
  /** Requests to the bucket for each of ours: see docs/operating/object-storage.md. */
  readonly objectsPer: Readonly<Record<Kind, number>>
}

export const usual: Machines = {
  nodeProcessors: 4,
  databaseProcessors: 16,
  use: 0.6,
  pool: 10,
  connections: 500,
  looksPerSecond: 200,
  objectRequests: 5500,
  objectsPer: { check: 0, listing: 3, download: 2, upload: 5, 'sign-in': 0 },
}
