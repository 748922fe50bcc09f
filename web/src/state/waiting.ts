/** Never fulfilled; rejected when the signal is aborted. `over` ends the wait, and with it the listener. */
export function aborted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over })
  })
}

/** Waits for whichever is first, unless the signal is aborted. Leaves no listener and no timer behind. */
export async function waitFor(
  signal: AbortSignal,
  { event, time }: { event?: Promise<unknown>; time?: number },
): Promise<void> {
  const over = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    if (time !== undefined) timer = setTimeout(resolve, time)
  })
  try {
    await Promise.race([late, aborted(signal, over.signal), ...(event === undefined ? [] : [event])])
  } finally {
    clearTimeout(timer)
    over.abort()
  }
}
