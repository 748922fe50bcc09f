interface SideBySide {
  /** Begins as soon as there is room. Throws what an earlier one has failed with. */
  begin(work: () => Promise<void>): Promise<void>
  /** Waits for all of them, and tells what has failed. */
  end(): Promise<void>
}

/** A few works at once: most of their time goes into waiting for the disk, which does several as fast as one. */
export function sideBySide(most: number): SideBySide {
  const underWay = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined

  const throwFailure = () => {
    if (failure !== undefined) throw failure.error
  }
  return {
    async begin(work) {
      while (underWay.size >= most) await Promise.race(underWay)
      throwFailure()
      const begun = work()
        .catch((error) => {
          failure ??= { error }
        })
        .finally(() => underWay.delete(begun))
      underWay.add(begun)
    },
    async end() {
      await Promise.all(underWay)
      throwFailure()
    },
  }
}
