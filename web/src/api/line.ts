import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { startSettings } from './start-settings.ts'

const everySoOften = 5000

let asking: Promise<boolean> | null = null

/** Does the server answer at this moment? However many want to know it, one asks. On a dead line no answer is one. */
export function isReachable(): Promise<boolean> {
  asking ??= fetch(`${startSettings.BaseURL}/health`, { cache: 'no-store', signal: AbortSignal.timeout(everySoOften) })
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

/** Asks now and then, and is fulfilled once the server answers again. */
function untilReachable(): Promise<void> {
  if (waiting !== null) return waiting
  const { promise, resolve } = Promise.withResolvers<void>()
  async function look() {
    if (!(await isReachable())) return
    clearInterval(timer)
    removeEventListener('online', look)
    if (waiting === promise) waiting = null
    resolve()
  }
  const timer = setInterval(look, everySoOften)
  addEventListener('online', look)
  waiting = promise
  return promise
}

/** While the server cannot be reached, says so whenever it seems to be back. */
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
 * For images: one that did not come because the line was down is tried again when it is back, with the number of tries
 * as its key. The line may be back before it is asked about, so a first failure is always followed by a second try:
 * `onFailed` hears only of those that the server itself could not deliver.
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
