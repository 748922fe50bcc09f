import type { Cancellation } from './cancellation.ts'

/** In milliseconds. The pauses grow: what is not let go of at once is asked for less and less often. */
const [firstPause, longestPause] = [10, 200]

/**
 * For what another process holds, whose locks ring no bell: asks until there is an answer, or for so many milliseconds, and at
 * least once. Undefined where there was none.
 */
export async function askedAgain<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  patience: number,
  signal?: Cancellation,
): Promise<T | undefined> {
  const end = performance.now() + patience
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const answer = await ask()
    if (answer !== undefined || performance.now() >= end) return answer
    signal?.throwIfAborted()
    await Bun.sleep(pause)
  }
}
