import { useEffect, useEffectEvent } from 'react'
import { hrefOf } from '../../navigation/location.ts'

const everySoOften = 5000

/** While the server cannot be reached, asks now and then whether it is back, and says so once it is. */
export function useWhenReachable(isUnreachable: boolean, onReachable: () => void): void {
  const tell = useEffectEvent(onReachable)
  useEffect(() => {
    if (!isUnreachable) return
    async function look() {
      if (await isReachable()) tell()
    }
    const timer = setInterval(look, everySoOften)
    addEventListener('online', look)
    return () => {
      clearInterval(timer)
      removeEventListener('online', look)
    }
  }, [isUnreachable])
}

export const isReachable = async (): Promise<boolean> =>
  (await fetch(hrefOf('/health'), { cache: 'no-store' }).catch(() => null))?.ok === true
