import { useState } from 'react'

export interface SteadyAddress {
  readonly src: string
  /** Changes to the latest address. False where that is in use already. */
  renew(): boolean
}

/**
 * An address that stays the same for as long as its file is in view. Those of a visitor change whenever the grant is
 * renewed, and must not interrupt what plays or is read; one that is no longer accepted is renewed.
 */
export function useSteadyAddress(file: string, latest: string): SteadyAddress {
  const [held, setHeld] = useState({ file, src: latest })
  const current = held.file === file ? held : { file, src: latest }
  if (current !== held) setHeld(current)
  return {
    src: current.src,
    renew() {
      if (current.src === latest) return false
      setHeld({ file, src: latest })
      return true
    },
  }
}
