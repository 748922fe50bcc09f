import { createContext, use } from 'react'
import { createStore, type Store } from './store.ts'

/** Signed out: the person has left. Cut off: time, another tab or another person ended it, and they may come back. */
export type Ending = 'signed-out' | 'cut-off'

type Part<Value> = (scope: SessionScope) => Value

/**
 * Everything that lives as long as one session in this page: cache, workspace, clipboard, work under way. The rooms say
 * with `perSession` what each session has one of; it is made when it is first asked for, and ends with the scope. A
 * page without a person has a scope, too.
 */
export class SessionScope {
  static #count = 0
  /** Another one for each session, for the keys of components. */
  readonly number = SessionScope.#count++
  readonly #control = new AbortController()
  readonly #parts = new Map<Part<unknown>, unknown>()
  readonly #endings: ((ending: Ending) => void)[] = []

  /** Aborted when the session ends. Work takes it when it begins, and does not ask for another one. */
  get signal(): AbortSignal {
    return this.#control.signal
  }

  own<Value>(part: Part<Value>): Value {
    if (!this.#parts.has(part)) this.#parts.set(part, part(this))
    return this.#parts.get(part) as Value
  }

  /** Runs when the session ends, before any component hears of it. */
  onEnd(run: (ending: Ending) => void): void {
    this.#endings.push(run)
  }

  end(ending: Ending): void {
    this.#control.abort()
    for (const run of this.#endings) {
      try {
        run(ending)
      } catch (error) {
        // One part that fails to end must not keep the others from ending.
        reportError(error)
      }
    }
  }
}

let current = new SessionScope()

export const currentScope = (): SessionScope => current

export const sessionSignal = (): AbortSignal => current.signal

/** Ends the present scope. What is asked for afterwards belongs to the next one. */
export function endScope(ending: Ending): void {
  const ended = current
  current = new SessionScope()
  ended.end(ending)
}

/** Something that each session has one of. Without a scope it is that of the present session. */
export const perSession =
  <Value>(part: Part<Value>) =>
  (scope: SessionScope = current): Value =>
    scope.own(part)

const ScopeContext = createContext<SessionScope | null>(null)

export const ScopeProvider = ScopeContext.Provider

export const useScope = (): SessionScope => use(ScopeContext) ?? current

/** A store that begins anew with each session. */
export function sessionStore<Value>(first: Value): Store<Value> {
  const own = perSession(() => createStore(first))
  return {
    get: () => own().get(),
    set: (next) => own().set(next),
    subscribe: (listener) => own().subscribe(listener),
    use: (select?: (value: Value) => unknown) => own(useScope()).use(select as never) as never,
  }
}
