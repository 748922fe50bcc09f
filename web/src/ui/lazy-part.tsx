import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react'

/** A component in a chunk of its own. Loading begins with `load`, or when it is first rendered. */
export interface LazyPart<Props> {
  /** Shows `waiting` until the code is there. */
  (props: Props & { waiting?: ReactNode }): ReactNode
  load(): Promise<unknown>
}

/**
 * Not `lazy` of React: once `Suspense` shows its fallback, what is loaded shows 300 ms later at the soonest, and code that
 * is there already passes through the fallback, too. It also keeps a failure for ever; here the next one that is rendered,
 * as after the retry of an error boundary, loads it again.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let Part: ComponentType<Props> | null = null
  let loading: Promise<void> | null = null

  function begin(): Promise<void> {
    loading ??= load().then(
      (loaded) => {
        Part = loaded
      },
      (error) => {
        loading = null
        throw error
      },
    )
    return loading
  }

  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, when its module is loaded
  function Shown(props: Props & { waiting?: ReactNode }): ReactNode {
    const [isLoaded, setIsLoaded] = useState(Part !== null)
    const [failure, setFailure] = useState<{ error: unknown } | null>(null)
    // After the page is drawn: code that comes later must not hold up what is there.
    useEffect(() => {
      if (isLoaded) return
      let isOver = false
      begin().then(
        () => isOver || setIsLoaded(true),
        (error) => isOver || setFailure({ error }),
      )
      return () => {
        isOver = true
      }
    }, [isLoaded])
    if (failure !== null) throw failure.error
    return isLoaded && Part !== null ? createElement(Part, props) : (props.waiting ?? null)
  }

  return Object.assign(Shown, { load: begin })
}
