import { useSyncExternalStore } from 'react'

/** A value outside of all components: modules set it, components follow it. */
export interface Watched<Value> {
  get: () => Value
  set: (next: Value) => void
  /** For components: the value, now and whenever it changes. */
  use: () => Value
  /** For everybody else. Answers how to stop. */
  subscribe: (listener: () => void) => () => void
}

export function watched<Value>(first: Value): Watched<Value> {
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
    use: () => useSyncExternalStore(subscribe, get),
    subscribe,
  }
}
