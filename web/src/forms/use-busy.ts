import { useState } from 'react'
import { showFailure } from '../api/show-failure.ts'

/** For a button whose work takes a while: whether it is at it, and how to begin. */
export function useBusy(work: () => Promise<unknown>): { isBusy: boolean; onClick: () => void } {
  const [isBusy, setIsBusy] = useState(false)
  async function run() {
    setIsBusy(true)
    await work().catch(showFailure)
    setIsBusy(false)
  }
  return { isBusy, onClick: () => void run() }
}
