import { perSession, sessionSignal } from './session-scope.ts'

interface SessionQueue {
  /** Begins when everything that was added before has ended, well or not. Rejects where the session has ended by then. */
  add<Value>(work: () => Promise<Value>): Promise<Value>
  /** Settles when everything that was added so far has ended. */
  whenIdle(): Promise<unknown>
}

/** Work that each session does one piece after the other. */
export function sessionQueue(): SessionQueue {
  const last = perSession(() => ({ end: Promise.resolve() as Promise<unknown> }))
  return {
    add(work) {
      const [own, session] = [last(), sessionSignal()]
      const done = own.end.then(() => {
        session.throwIfAborted()
        return work()
      })
      own.end = done.catch(() => {})
      return done
    },
    whenIdle: () => last().end,
  }
}
