import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, fdatasyncSync, openSync, statSync } from 'node:fs'
import { workerMessages } from '../../concurrency/worker.ts'
import { isDamaged } from './damage.ts'
import type { FileIdentity } from './identity.ts'

declare const self: Worker

export type LogTask =
  | { readonly what: 'open'; readonly file: string }
  | { readonly what: 'sync'; readonly file: string }
  /** Where the log has at least so many pages that have not been copied. */
  | { readonly what: 'checkpoint'; readonly least: number; readonly mode: 'passive' | 'restart' }
  | { readonly what: 'empty' }
  | { readonly what: 'check'; readonly file: string }
  | { readonly what: 'close'; readonly truncates: boolean }

export type LogAnswer = { readonly value: unknown } | { readonly error: string }

/** In pages: beyond it, writers have to wait while the rest is copied. */
const longestLog = 4000
/** In bytes: what a log has had beyond it is given back when it begins anew. */
const longestFile = 16 * 1_048_576

/** In milliseconds: only this thread waits. */
const usualLockTimeout = 1000

let sqlite: Sqlite | undefined

self.onmessage = workerMessages((task: LogTask) => {
  try {
    self.postMessage({ value: carryOut(task) } satisfies LogAnswer)
  } catch (error) {
    self.postMessage({ error: String(error) } satisfies LogAnswer)
  }
})

function carryOut(task: LogTask): unknown {
  if (task.what === 'open') return openFile(task.file)
  if (task.what === 'sync') return syncFile(task.file)
  if (task.what === 'checkpoint') return checkpoint(task)
  if (task.what === 'empty') return copy('truncate')
  if (task.what === 'check') return isIntact(task.file)
  if (task.truncates) copy('truncate')
  sqlite?.close()
  sqlite = undefined
  return undefined
}

function openFile(file: string): FileIdentity {
  const { dev, ino } = statSync(file)
  sqlite = new Sqlite(file, { readwrite: true })
  sqlite.run(`pragma busy_timeout = ${usualLockTimeout}`)
  sqlite.run('pragma synchronous = normal')
  sqlite.run('pragma wal_autocheckpoint = 0')
  sqlite.run(`pragma journal_size_limit = ${longestFile}`)
  sqlite.run('select count(*) from sqlite_master')
  const after = statSync(file)
  if (after.dev !== dev || after.ino !== ino) throw new Error('The file was replaced while it was opened')
  return { dev, ino }
}

/** SQLite keeps no locks on the log itself, so closing it drops none. */
function syncFile(file: string): void {
  const fd = openSync(file, 'r')
  try {
    fdatasyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Another process wrote to the file. If that was a checkpoint of the whole log, the log begins anew. */
function isIntact(file: string): boolean {
  if (isDamaged(file)) return false
  try {
    const { log, checkpointed } = copy('noop')
    if (log === checkpointed) restartLog({ lockTimeout: 0 })
  } catch {
    // The next writer syncs the head of the log itself.
  }
  return true
}

export interface Checkpoint {
  readonly isComplete: boolean
  /** While there is always something new to copy, the log never begins anew. */
  readonly isTooLong: boolean
}

/** 'restart' keeps writers of other processes out until the end. */
function checkpoint({ least, mode }: { least: number; mode: 'passive' | 'restart' }): Checkpoint {
  const { log, checkpointed } = copy('noop')
  if (log - checkpointed < least) return { isComplete: log === checkpointed, isTooLong: false }
  const after = copy(mode)
  const isComplete = after.checkpointed === after.log
  if (isComplete) restartLog()
  return { isComplete, isTooLong: !isComplete && after.log > longestLog }
}

function copy(mode: 'noop' | 'passive' | 'restart' | 'truncate'): { log: number; checkpointed: number } {
  if (sqlite === undefined) throw new Error('The database is not open')
  // Finalized at once: with a statement left, SQLite would only seem to close, and the log would stay.
  using statement = sqlite.prepare<{ log: number; checkpointed: number }, []>(`pragma wal_checkpoint(${mode})`)
  return statement.get() ?? { log: 0, checkpointed: 0 }
}

/** The first write to a log that begins anew syncs its head. It is made here, so that the event loop need not. */
function restartLog({ lockTimeout = usualLockTimeout } = {}): void {
  try {
    sqlite?.run(`pragma busy_timeout = ${lockTimeout}`)
    sqlite?.run(
      "insert into counter (name, value) values ('probe', 1) on conflict (name) do update set value = value + 1",
    )
  } catch {
    // Locked, or no room: the next writer does it.
  } finally {
    sqlite?.run(`pragma busy_timeout = ${usualLockTimeout}`)
  }
}
