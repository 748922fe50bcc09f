/** Bytes per second: measured every second, averaged over five measurements, and smoothed so that it can be read. */
export interface Speedometer {
  /** Takes how many bytes have been sent in all, once a second. */
  measure(sent: number): void
  /** Bytes per second. */
  speed(): number
}

const measurements = 5
const weightOfNew = 0.2

export function speedometer(): Speedometer {
  let last: number | null = null
  let recent: number[] = []
  let speed: number | null = null
  return {
    measure(sent) {
      // The first measurement only says where counting begins. What is sent again after a cut is no speed below zero.
      if (last !== null) {
        recent = [...recent, Math.max(0, sent - last)].slice(-measurements)
        const average = recent.reduce((sum, bytes) => sum + bytes, 0) / recent.length
        speed = speed === null ? average : weightOfNew * average + (1 - weightOfNew) * speed
      }
      last = sent
    },
    speed: () => speed ?? 0,
  }
}

/** Seconds until the rest is there, or null when nothing moves. */
export const secondsLeft = (rest: number, speed: number): number | null =>
  speed < 1 ? null : Math.ceil(Math.max(0, rest) / speed)
