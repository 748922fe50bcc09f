/**
 * The other processes of the same server, for what only the memory of one of them knows. Asked only where the database
 * has no answer: a question takes a fraction of a millisecond of each.
 */
export interface Siblings {
  /** The answers of those that have one. A process that does not answer in time has none. */
  ask(topic: string, value: unknown): Promise<unknown[]>
  /** Answers a question of another process; undefined where there is nothing to say. */
  answer(topic: string, handler: (value: unknown) => unknown): void
}

/** Of a server of one process. */
export const noSiblings: Siblings = { ask: async () => [], answer() {} }
