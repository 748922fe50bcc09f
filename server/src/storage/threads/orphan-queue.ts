/** Deals with orphans that threads came across, one after another and beside all requests. */
export interface OrphanQueue {
  add(places: readonly string[]): void
  /** Waits until all that was added is dealt with. */
  settled(): Promise<void>
}

const mostWaiting = 1000

/** What `deal` refuses is seen again with the next reading. */
export function orphanQueue(deal: (place: string) => Promise<void>): OrphanQueue {
  const waiting = new Set<string>()
  let running: Promise<void> | undefined

  async function work(): Promise<void> {
    for (const place of waiting) {
      try {
        await deal(place)
      } catch {}
      waiting.delete(place)
    }
  }

  return {
    add(places) {
      for (const place of places) if (waiting.size < mostWaiting) waiting.add(place)
      if (waiting.size === 0) return
      running ??= work().finally(() => {
        running = undefined
      })
    },
    async settled() {
      while (running !== undefined) await running
    },
  }
}
