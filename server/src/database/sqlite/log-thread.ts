import type { Database as Sqlite } from 'bun:sqlite'
import { coalesce } from '../../concurrency/coalesce.ts'
import { deadline } from '../../concurrency/deadline.ts'
import { startWorker } from '../../concurrency/worker.ts'
import { logWorker } from '../../parts.ts'
import type { FileIdentity, Identity } from './identity.ts'
import type { Checkpoint, LogAnswer, LogTask } from './log-worker.ts'
import { logOnLoop, syncFile, type WriteAheadLog } from './write-ahead-log.ts'

export interface LogThreadOptions {
  worker?: string | URL
  /** A checkpoint after so many commits, if the log has grown by then, … */
  commits?: number
  /** … and after so many seconds, if there was any. */
  seconds?: number
}

/** SQLite's own habit: in pages. */
const usualCheckpoint = 1000
/** In milliseconds: a disk that takes longer to copy the rest at the end keeps its log, which loses nothing. */
const longestClosing = 10_000

/**
 * For a server: a worker thread with a connection of its own makes every call that waits for the disk: fsync, checkpoints,
 * and reading the whole file. Where that thread dies, the connection of the event loop makes checkpoints again by
 * itself, so that the log never grows without limit.
 */
export function logInWorker(
  sqlite: Sqlite,
  identity: Identity,
  /** Runs something while no other write of this process does. */
  withoutWriters: <T>(work: () => Promise<T>) => Promise<T>,
  { worker = logWorker, commits: mostCommits = 250, seconds = 300 }: LogThreadOptions = {},
): WriteAheadLog {
  const onLoop = logOnLoop(sqlite, identity)
  let commits = 0
  let timer: NodeJS.Timeout | undefined
  let checkpoints = 0
  let isKeepingShort = false
  let isClosed = false
  let thread: LogThread | undefined = startThread(worker, () => {
    thread = undefined
    clearTimeout(timer)
    // A connection that has been closed meanwhile needs none.
    if (!isClosed) sqlite.run(`pragma wal_autocheckpoint = ${usualCheckpoint}`)
  })
  sqlite.run('pragma wal_autocheckpoint = 0')
  // Opened by its name, which may stand for another file by now.
  thread.ask<FileIdentity>({ what: 'open', file: identity.file }).then(
    (found) => identity.isOpened(found) || thread?.end(),
    () => thread?.end(),
  )

  /** While the worker writes to the file, changes of the file are the worker's. */
  async function askWriting<T>(task: LogTask): Promise<T> {
    if (thread === undefined) throw new Error('There is no thread')
    checkpoints += 1
    const wrote = identity.writing()
    try {
      return await thread.ask<T>(task)
    } finally {
      checkpoints -= 1
      wrote()
    }
  }

  function resetSchedule(): void {
    clearTimeout(timer)
    timer = undefined
    commits = 0
  }

  function checkpoint(least: number, mode: 'passive' | 'restart' = 'passive'): Promise<Checkpoint> {
    resetSchedule()
    return askWriting<Checkpoint>({ what: 'checkpoint', least, mode })
  }

  /** Where the thread is dead, or dies meanwhile, the event loop does it. */
  async function orOnLoop<T>(task: LogTask, onLoop: () => Promise<T>): Promise<T> {
    try {
      return thread === undefined ? await onLoop() : await thread.ask<T>(task)
    } catch (error) {
      if (thread !== undefined) throw error
      return onLoop()
    }
  }

  const isIntact = () => orOnLoop({ what: 'check', file: identity.file }, onLoop.isIntact)

  async function keepShort(least: number): Promise<void> {
    if (isKeepingShort) return
    isKeepingShort = true
    resetSchedule()
    try {
      if ((await identity.verified(isIntact)) !== 'ours') return
      const { isComplete, isTooLong } = await checkpoint(least)
      if (isTooLong) await withoutWriters(() => checkpoint(1, 'restart'))
      // The rest is copied with the next commits, or after a while.
      else if (!isComplete) commits += 1
    } catch {
      // A disk that is full, or a thread that has ended: the next commits try again, or SQLite does.
    } finally {
      isKeepingShort = false
      schedule()
    }
  }

  function schedule(): void {
    if (thread === undefined || isClosed || commits === 0 || isKeepingShort) return
    if (commits >= mostCommits) void keepShort(usualCheckpoint)
    else timer ??= setTimeout(() => void keepShort(1), seconds * 1000).unref()
  }

  return {
    committed() {
      commits += 1
      schedule()
    },
    sync: coalesce(async () => {
      identity.require()
      // A checkpoint takes longer than a sync, and the thread does one thing after the other.
      if (checkpoints > 0) return syncFile(identity.log)
      // An fsync that the disk refused is not repeated: the second answer may be that all is well.
      await orOnLoop({ what: 'sync', file: identity.log }, () => syncFile(identity.log))
    }),
    checkpoint: () =>
      thread === undefined
        ? onLoop.checkpoint()
        : checkpoint(1).then(
            () => true,
            () => false,
          ),
    isCheckpointing: () => checkpoints > 0,
    async empty() {
      await askWriting({ what: 'empty' }).catch(() => (thread === undefined ? onLoop.empty() : undefined))
    },
    isIntact,
    async close({ isOurs }) {
      isClosed = true
      clearTimeout(timer)
      const closing = thread
      if (closing === undefined) return
      const wrote = identity.writing()
      await deadline(
        closing.ask({ what: 'close', truncates: isOurs }).catch(() => {}),
        longestClosing,
        undefined,
      )
      closing.end()
      wrote()
    },
  }
}

interface LogThread {
  ask<T>(task: LogTask): Promise<T>
  end(): void
}

function startThread(file: string | URL, died: () => void): LogThread {
  const worker = startWorker(file, { smol: true })
  const waiting: PromiseWithResolvers<never>[] = []
  let isDead = false
  const end = (reason: string) => {
    if (isDead) return
    isDead = true
    worker.terminate()
    for (const { reject } of waiting.splice(0)) reject(new Error(reason))
    died()
  }
  worker.unref()
  worker.onmessage = ({ data }: MessageEvent<LogAnswer>) => {
    const first = waiting.shift()
    if (waiting.length === 0) worker.unref()
    if ('error' in data) first?.reject(new Error(data.error))
    else first?.resolve(data.value as never)
  }
  worker.onerror = ({ message }) => end(message)
  worker.addEventListener('close', () => end('The thread of the log has ended'))
  return {
    ask(task) {
      const answer = Promise.withResolvers<never>()
      if (isDead) answer.reject(new Error('The thread of the log has ended'))
      else {
        // A process does not end while something waits for the disk.
        if (waiting.push(answer) === 1) worker.ref()
        worker.postMessage(task)
      }
      return answer.promise
    },
    end: () => end('The thread of the log was stopped'),
  }
}
