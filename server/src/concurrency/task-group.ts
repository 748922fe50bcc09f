interface TaskGroup {
  /** Starts a task as soon as there is room. Throws what an earlier one has failed with. */
  start(task: () => Promise<void>): Promise<void>
  /** Waits for all tasks, and throws what the first to fail has failed with. */
  wait(): Promise<void>
}

/** At most so many tasks at once, which succeed or fail together. */
export function taskGroup(most: number): TaskGroup {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined

  const throwFailure = () => {
    if (failure !== undefined) throw failure.error
  }
  return {
    async start(task) {
      while (running.size >= most) await Promise.race(running)
      throwFailure()
      const started = task()
        .catch((error) => {
          failure ??= { error }
        })
        .finally(() => running.delete(started))
      running.add(started)
    },
    async wait() {
      await Promise.all(running)
      throwFailure()
    },
  }
}
