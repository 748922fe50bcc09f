/**
 * The other processes that serve the same files: those of one server below its parent, or all nodes on one PostgreSQL
 * (`messages.ts`). For what only the memory of one of them knows; asked only where the database has no answer.
 */
export interface Siblings {
  /** The answers of those that have one. A process that does not answer in time has none. `of` names the only one to ask. */
  ask(topic: string, value: unknown, of?: string): Promise<unknown[]>
  /** Says something to all others that needs no answer. Never fails. */
  tell(topic: string, value: unknown): Promise<void>
  /** Takes what another process asks or tells; undefined where there is nothing to say. */
  answer(topic: string, handler: (value: unknown) => unknown): void
  /** Called where something that others told may not have come. */
  onMissed(handler: () => void): void
}

/** Of a server of one process. */
export const noSiblings: Siblings = { ask: async () => [], async tell() {}, answer() {}, onMissed() {} }
