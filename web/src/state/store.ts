import { useSyncExternalStore } from 'react'

/** A value outside of all components: modules set it, components follow it. */
export interface Store<Value> {
  get(): Value
  set(next: Value): void
  /** Calls the listener after each change. Answers how to stop that. */
  subscribe(listener: () => void): () => void
  /**
   * For components: the value, or what is selected of it, now and whenever that changes. A selection is compared by
   * identity, so it must not make a new object each time.
   */
  use(): Value
  use<Selected>(select: (value: Value) => Selected): Selected
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first
  const listeners = new Set<() => void>()
  const get = () => value
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    get,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe,
    use: (select?: (value: Value) => unknown) =>
      useSyncExternalStore(subscribe, select === undefined ? get : () => select(value)) as never,
  }
}
