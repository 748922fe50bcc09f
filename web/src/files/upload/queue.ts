import { batchLimits } from '@filestead/contract'
import type { Attempt } from '../../server/outages.ts'

/** A file on its way to the server, or a folder that would get lost because nothing is in it. */
export type Job = FileJob | FolderJob

interface Aim {
  readonly id: string
  /** Where it will lie. */
  readonly path: string
  readonly name: string
  /** The folder that the person sent it to; for what comes out of a folder, above the one it lies in. */
  readonly into: string
  readonly size: number
  /** All that was sent in one act has one: under it the server can take it back. Absent for what an earlier page has begun. */
  readonly batch?: string
}

export interface FileJob extends Aim {
  readonly kind: 'file'
  readonly file: File
  /** Takes the place of a file with this name. */
  readonly override: boolean
  /** Where the server takes the bytes, once it may know of the upload. */
  readonly url: string | null
  /** A way to the file after a reload, where the browser gives one. */
  readonly handle: Promise<FileSystemHandle | null> | null
  /** What an earlier page has left, and has written down already. */
  readonly kept: { readonly handleId: string | null } | null
  /** Never sent together with others. */
  readonly isAlone?: boolean
}

export interface FolderJob extends Aim {
  readonly kind: 'folder'
}

export type UploadState =
  /** `sent` counts what had arrived before the upload was paused. */
  | { status: 'queued'; sent?: number }
  /** `isWaiting` while the server cannot be reached, `attempt` while a request that failed is made again. */
  | { status: 'uploading'; sent: number; isWaiting?: boolean; attempt?: Attempt | undefined }
  | { status: 'done' }
  | { status: 'failed'; reason: string; isNameTaken: boolean }
  | { status: 'skipped'; why: 'exists' | 'cancelled' }

export interface Item {
  readonly job: Job
  readonly state: UploadState
}

/** Sums that are kept up to date with every change: counting 100,000 files ten times a second takes too long. */
export interface Totals {
  readonly counts: Readonly<Record<UploadState['status'], number>>
  /** Of all that is to be sent: what failed or was skipped does not count. */
  readonly bytes: number
  readonly sent: number
}

export interface Queue {
  add(jobs: readonly Job[], state?: UploadState): void
  /**
   * Those to start now, oldest first. They count as begun. Up to `batches` groups of small files are sent together each, and
   * other small files wait for that; without a number each file is a group of its own.
   */
  start(batches?: number): Job[][]
  change(id: string, state: UploadState): void
  /** Puts an ended one in line again. */
  again(id: string, change?: Partial<Pick<FileJob, 'override' | 'path' | 'name' | 'url'>>): void
  /** Puts everything that is being sent back, before all that waits. Returns the ids. */
  putBack(): string[]
  noteUrl(id: string, url: string): void
  /** It did not arrive together with others: it waits once more, for a request of its own. */
  sendAlone(id: string, url: string | null): void
  find(id: string): Item | undefined
  totals(): Totals
  isBusy(): boolean
  size(): number
  /** Some of the list: what is being sent comes first, then what failed, waits, has arrived, was left out. */
  slice(start: number, end: number): Item[]
  /** Everything in one of these states. */
  inState(...statuses: readonly UploadState['status'][]): Item[]
  /** Forgets what has ended; what failed is kept unless told otherwise. */
  clear(kept?: 'failed' | 'none'): void
}

const order = ['uploading', 'failed', 'queued', 'done', 'skipped'] as const

export function uploadQueue(limit = 5): Queue {
  const items = new Map<string, Item>()
  const byStatus = new Map(order.map((status) => [status, new Set<string>()]))
  /** Those of `uploading` that are sent together with others. */
  const inBatches = new Set<string>()
  let bytes = 0
  let sent = 0

  const ids = (status: UploadState['status']): Set<string> => byStatus.get(status) ?? new Set()

  function put(job: Job, state: UploadState): void {
    take(job.id)
    items.set(job.id, { job, state })
    ids(state.status).add(job.id)
    bytes += counted({ job, state })
    sent += sentOf({ job, state })
  }

  function take(id: string): void {
    const item = items.get(id)
    if (item === undefined) return
    items.delete(id)
    inBatches.delete(id)
    ids(item.state.status).delete(id)
    bytes -= counted(item)
    sent -= sentOf(item)
  }

  /** The place among those that are sent together stays. */
  function begin(id: string): void {
    const item = items.get(id)
    if (item === undefined) return
    const isInBatch = inBatches.has(id)
    put(item.job, { status: 'uploading', sent: sentOf(item) })
    if (isInBatch) inBatches.add(id)
  }

  return {
    add(jobs, state = { status: 'queued' }) {
      for (const job of jobs) put(job, state)
    },

    start(batches) {
      const groups: Job[][] = []
      let room = limit - ids('uploading').size + inBatches.size
      let left = batches ?? 0
      let batch: FileJob[] = []
      let batchBytes = 0
      const endBatch = () => {
        if (batch.length > 1) for (const { id } of batch) inBatches.add(id)
        else if (batch.length === 1) room -= 1
        // One by itself is a request like that of any other file.
        if (batch.length > 1 || (batch.length === 1 && room >= 0)) groups.push(batch)
        batch = []
        batchBytes = 0
        left -= 1
      }
      for (const id of ids('queued')) {
        if (room <= 0 && left <= 0) break
        const job = items.get(id)?.job
        if (job === undefined) continue
        if (batches !== undefined && isForBatch(job)) {
          if (left > 0 && !fitsInBatch(batch, batchBytes + job.size)) endBatch()
          if (left <= 0) continue
          batch.push(job)
          batchBytes += job.size
        } else if (room > 0) {
          groups.push([job])
          room -= 1
        }
      }
      if (left > 0) endBatch()
      for (const { id } of groups.flat()) begin(id)
      return groups
    },

    change(id, state) {
      const item = items.get(id)
      if (item === undefined) return
      if (item.state.status !== state.status) return put(item.job, state)
      // The place in the list stays.
      const next = { job: item.job, state }
      items.set(id, next)
      sent += sentOf(next) - sentOf(item)
    },

    again(id, change) {
      const item = items.get(id)
      if (item === undefined || item.state.status === 'uploading' || item.state.status === 'queued') return
      put(item.job.kind === 'file' ? { ...item.job, ...change } : item.job, { status: 'queued' })
    },

    putBack() {
      const back = [...ids('uploading')]
      const waiting = [...ids('queued')]
      ids('queued').clear()
      for (const id of back) {
        const item = items.get(id)
        if (item !== undefined) put(item.job, { status: 'queued', sent: sentOf(item) })
      }
      for (const id of waiting) ids('queued').add(id)
      return back
    },

    noteUrl(id, url) {
      const item = items.get(id)
      if (item?.job.kind === 'file') items.set(id, { ...item, job: { ...item.job, url } })
    },

    sendAlone(id, url) {
      const item = items.get(id)
      if (item?.job.kind !== 'file') return
      put({ ...item.job, url, isAlone: true }, item.state.status === 'uploading' ? { status: 'queued' } : item.state)
    },

    find: (id) => items.get(id),

    totals: () => ({
      counts: {
        queued: ids('queued').size,
        uploading: ids('uploading').size,
        done: ids('done').size,
        failed: ids('failed').size,
        skipped: ids('skipped').size,
      },
      bytes,
      sent,
    }),

    isBusy: () => ids('queued').size + ids('uploading').size > 0,

    size: () => items.size,

    // No list is made of it: it would be another one whenever a file has arrived.
    slice(start, end) {
      const found: Item[] = []
      let before = 0
      for (const status of order) {
        const those = ids(status)
        if (before + those.size <= start) {
          before += those.size
          continue
        }
        for (const id of those) {
          if (before >= end) return found
          const item = items.get(id)
          if (before >= start && item !== undefined) found.push(item)
          before += 1
        }
      }
      return found
    },

    inState: (...statuses) => statuses.flatMap((status) => [...ids(status)].flatMap((id) => items.get(id) ?? [])),

    clear(kept = 'none') {
      for (const [id, { state }] of [...items]) if (kept === 'none' || state.status !== 'failed') take(id)
    },
  }
}

/** In bytes: a larger file costs little more in a request of its own. */
const largestFile = 128 * 1024

/** In bytes, of all files: with their heads less than what an nginx lets through that is not told otherwise. */
const largestBatch = 768 * 1024

/** A file that may have begun goes on alone: the server is asked how much of it has arrived. */
export const isForBatch = (job: Job): job is FileJob =>
  job.kind === 'file' && job.size <= largestFile && job.url === null && job.kept === null && job.isAlone !== true

const fitsInBatch = (jobs: readonly FileJob[], bytes: number): boolean =>
  jobs.length < batchLimits.files && bytes <= largestBatch

const counted = ({ job, state }: Item): number =>
  state.status === 'failed' || state.status === 'skipped' ? 0 : job.size

function sentOf({ job, state }: Item): number {
  if (state.status === 'done') return job.size
  return state.status === 'uploading' || state.status === 'queued' ? (state.sent ?? 0) : 0
}
