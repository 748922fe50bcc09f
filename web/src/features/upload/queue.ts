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
}

export interface FileJob extends Aim {
  readonly kind: 'file'
  readonly file: File
  /** Takes the place of a file with this name. */
  readonly override: boolean
  /** Where the server takes the bytes, once it has said so. */
  readonly url: string | null
  /** A way to the file after a reload, where the browser gives one. */
  readonly handle: Promise<FileSystemHandle | null> | null
  /** What an earlier page has left, and has written down already. */
  readonly kept: { readonly handleId: string | null } | null
}

export interface FolderJob extends Aim {
  readonly kind: 'folder'
}

export type UploadState =
  | { status: 'queued' }
  | { status: 'uploading'; sent: number }
  | { status: 'done' }
  | { status: 'failed'; reason: string; isNameTaken: boolean }
  | { status: 'skipped'; why: 'exists' | 'cancelled' }

export interface Item {
  readonly job: Job
  readonly state: UploadState
}

/** Sums that are kept up to date step by step: with 20,000 files nobody counts them ten times a second. */
export interface Totals {
  readonly counts: Readonly<Record<UploadState['status'], number>>
  /** Of all that is to be sent: what failed or was skipped does not count. */
  readonly bytes: number
  readonly sent: number
}

export interface Queue {
  add(jobs: readonly Job[], state?: UploadState): void
  /** Those to start now, oldest first. They count as begun. */
  start(): Job[]
  change(id: string, state: UploadState): void
  /** Puts an ended one in line again. */
  again(id: string, change?: { override: boolean }): void
  noteUrl(id: string, url: string): void
  find(id: string): Item | undefined
  totals(): Totals
  isBusy(): boolean
  /** The ids: those on their way first, then those that failed, wait, have arrived, were left out. */
  listed(): readonly string[]
  /** Forgets what has ended; what failed is kept unless `all` shall go. */
  clear(kept?: 'failed' | 'none'): void
}

const order = ['uploading', 'failed', 'queued', 'done', 'skipped'] as const

export function uploadQueue(limit = 5): Queue {
  const items = new Map<string, Item>()
  const byStatus = new Map(order.map((status) => [status, new Set<string>()]))
  let bytes = 0
  let sent = 0
  let listed: readonly string[] | null = []

  const ids = (status: UploadState['status']): Set<string> => byStatus.get(status) ?? new Set()

  function put(job: Job, state: UploadState): void {
    take(job.id)
    items.set(job.id, { job, state })
    ids(state.status).add(job.id)
    bytes += counted({ job, state })
    sent += sentOf({ job, state })
    listed = null
  }

  function take(id: string): void {
    const item = items.get(id)
    if (item === undefined) return
    items.delete(id)
    ids(item.state.status).delete(id)
    bytes -= counted(item)
    sent -= sentOf(item)
    listed = null
  }

  return {
    add(jobs, state = { status: 'queued' }) {
      for (const job of jobs) put(job, state)
    },

    start() {
      const jobs: Job[] = []
      for (const id of ids('queued')) {
        if (ids('uploading').size + jobs.length >= limit) break
        const item = items.get(id)
        if (item !== undefined) jobs.push(item.job)
      }
      for (const job of jobs) put(job, { status: 'uploading', sent: 0 })
      return jobs
    },

    change(id, state) {
      const item = items.get(id)
      if (item === undefined) return
      if (item.state.status !== state.status) return put(item.job, state)
      // It keeps its place, so the list stays as it is.
      const next = { job: item.job, state }
      items.set(id, next)
      sent += sentOf(next) - sentOf(item)
    },

    again(id, change) {
      const item = items.get(id)
      if (item === undefined || item.state.status === 'uploading' || item.state.status === 'queued') return
      put(item.job.kind === 'file' ? { ...item.job, ...change } : item.job, { status: 'queued' })
    },

    noteUrl(id, url) {
      const item = items.get(id)
      if (item?.job.kind === 'file') items.set(id, { ...item, job: { ...item.job, url } })
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

    listed() {
      listed ??= order.flatMap((status) => [...ids(status)])
      return listed
    },

    clear(kept = 'none') {
      for (const [id, { state }] of [...items]) if (kept === 'none' || state.status !== 'failed') take(id)
    },
  }
}

const counted = ({ job, state }: Item): number =>
  state.status === 'failed' || state.status === 'skipped' ? 0 : job.size

function sentOf({ job, state }: Item): number {
  if (state.status === 'done') return job.size
  return state.status === 'uploading' ? state.sent : 0
}
