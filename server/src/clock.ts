/** The time, as something a test can set. */
export interface Clock {
  unixSeconds(): number
}

export const systemClock: Clock = { unixSeconds: () => Math.floor(Date.now() / 1000) }
