/** What the work answers, or `late` where it has not answered by then. The work itself goes on. */
export async function deadline<T, Late>(work: Promise<T>, milliseconds: number, late: Late): Promise<T | Late> {
  const { promise: over, resolve } = Promise.withResolvers<Late>()
  const timer = setTimeout(resolve, milliseconds, late)
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}
