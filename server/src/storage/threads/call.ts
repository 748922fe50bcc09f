import type { Cancellation } from '../../concurrency/cancellation.ts'
import type { Task } from './messages.ts'
import type { Pending, Thread } from './thread.ts'

export interface CallOptions {
  signal?: Cancellation | undefined
  /** What it throws ends the task: told once the thread has stopped, so that nobody clears away what it is at work on. */
  part?(part: never): void
  /** The parts come anew, from the first one on. Without it, a task of which a part has come is not begun again. */
  restart?(): void
  /** Is given what came when the task had been given up: a descriptor that has to be closed. */
  late?(value: unknown): void
}

/** What is asked for, and by whom. */
interface Wanted {
  readonly task: Task
  /** The full name that it is about. */
  readonly name: string
  readonly options: CallOptions
  resolve(value: never): void
  reject(error: unknown): void
}

/** The calls of a lane that have not ended, and the threads that may have them. */
interface Open {
  readonly calls: Set<Call>
  readonly threads: ReadonlySet<Thread>
}

/** A task from the moment it is wanted to its end. */
export class Call implements Pending {
  readonly #wanted: Wanted
  readonly #open: Open
  /** The thread that has sent a part. */
  #owner: object | undefined
  #isRestarted = false
  /** What the caller threw when it was told of a part. */
  #refusal: { readonly error: unknown } | undefined
  readonly since: number
  /** A thread has it already, which may be asleep. */
  isGiven = false
  /** Its threads have been told to stop. */
  isCancelled = false
  /** What the lane found out about its file system, and until when that counts. */
  mount = ''
  mountUntil = 0

  constructor(wanted: Wanted, open: Open, since = performance.now()) {
    this.#wanted = wanted
    this.#open = open
    this.since = since
  }

  get task(): Task {
    return this.#wanted.task
  }

  get name(): string {
    return this.#wanted.name
  }

  get signal(): Cancellation | undefined {
    return this.#wanted.options.signal
  }

  /** A thread has sent a part of its result. */
  get hasPart(): boolean {
    return this.#owner !== undefined
  }

  /** Parts of two threads must not mix: the first that sends one does the task, and the others stop. */
  part(part: unknown, from: object): void {
    const { calls } = this.#open
    if (this.#owner === undefined) this.cancel(from)
    this.#owner ??= from
    try {
      const isTaken = this.#owner === from && calls.has(this) && this.#refusal === undefined
      if (isTaken) this.#wanted.options.part?.(part as never)
    } catch (error) {
      this.#refusal = { error }
      this.cancel()
    }
  }

  resolve(value: unknown, from: object): void {
    const refusal = this.#refusal
    const isTaken = refusal === undefined && this.#counts(from) && this.#open.calls.delete(this)
    if (isTaken) this.#wanted.resolve(value as never)
    else this.#wanted.options.late?.(value)
    if (refusal !== undefined) this.reject(refusal.error, from)
  }

  reject(error: unknown, from: object): void {
    if (this.#counts(from)) this.leave(this.#refusal === undefined ? error : this.#refusal.error)
  }

  /** Ends it; what threads answer after that is late. */
  leave(error: unknown): void {
    if (this.#open.calls.delete(this)) this.#wanted.reject(error)
  }

  /** Tells the threads that have it to stop, except for one. */
  cancel(except?: object): void {
    for (const thread of this.#open.threads) if (thread !== except) thread.cancel(this)
  }

  /** Another call takes its place, and begins with the first part. Undefined where that cannot be, or has been before. */
  restarted(): Call | undefined {
    const { calls } = this.#open
    const { restart } = this.#wanted.options
    const canRestart = restart !== undefined && !this.#isRestarted && this.#refusal === undefined
    if (!canRestart || !calls.delete(this)) return undefined
    this.cancel()
    restart()
    const again = new Call(this.#wanted, this.#open, this.since)
    again.#isRestarted = true
    calls.add(again)
    return again
  }

  #counts(from: object): boolean {
    return this.#owner === undefined || this.#owner === from
  }
}
