import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { startSettings } from './start-settings.ts'

/** How often the server is asked again, and how long it may take to answer, in milliseconds. */
const interval = 5000

let asking: Promise<boolean> | null = null

/** Does the server answer now? All that ask at the same time share one request. No answer in time counts as no. */
export function isReachable(): Promise<boolean> {
  asking ??= fetch(`${startSettings.BaseURL}/health`, { cache: 'no-store', signal: AbortSignal.timeout(interval) })
    .then(
      ({ ok }) => ok,
      () => false,
    )
    .finally(() => {
      asking = null
    })
  return asking
}

let waiting: Promise<void> | null = null

/** Asks at intervals, and resolves once the server answers again. */
export function untilReachable(): Promise<void> {
  if (waiting !== null) return waiting
  const { promise, resolve } = Promise.withResolvers<void>()
  async function check() {
    if (!(await isReachable())) return
    clearInterval(timer)
    removeEventListener('online', check)
    if (waiting === promise) waiting = null
    resolve()
  }
  const timer = setInterval(check, interval)
  addEventListener('online', check)
  waiting = promise
  return promise
}

/** While the server cannot be reached, calls `onReachable` whenever it answers again. */
export function useWhenReachable(isUnreachable: boolean, onReachable: () => void): void {
  const tell = useEffectEvent(onReachable)
  useEffect(() => {
    let isWaiting = isUnreachable
    async function wait() {
      while (isWaiting) {
        await untilReachable()
        if (isWaiting) tell()
      }
    }
    void wait()
    return () => {
      isWaiting = false
    }
  }, [isUnreachable])
}

/**
 * For images: one that failed because the connection was lost is loaded again when it is back; the number of tries is
 * its key. The connection may be back before it is asked about, so a first failure is always followed by a second try:
 * `onFailed` is called only where the server itself could not deliver.
 */
export function useTries(onFailed: () => void) {
  const [tries, setTries] = useState(0)
  const isLastTry = useRef(false)
  async function onError() {
    if (!(await isReachable())) await untilReachable()
    else if (isLastTry.current) return onFailed()
    else isLastTry.current = true
    setTries((before) => before + 1)
  }
  return { tries, onError: () => void onError() }
}
