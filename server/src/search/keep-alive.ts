/** Passes pieces on, and yields a filler whenever the source has been silent for a while, so that no proxy times out. */
export async function* keptAlive<T>(pieces: AsyncIterator<T>, filler: T, milliseconds: number): AsyncGenerator<T> {
  try {
    for (;;) {
      const next = pieces.next()
      let result = await withinTime(next, milliseconds)
      for (; result === 'late'; result = await withinTime(next, milliseconds)) yield filler
      if (result.done) return
      yield result.value
    }
  } finally {
    await pieces.return?.()
  }
}

async function withinTime<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'late'> {
  let timer: Timer | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
