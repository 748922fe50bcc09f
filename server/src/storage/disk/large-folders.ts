import type { Cancellation } from '../../concurrency/cancellation.ts'
import { queueOf } from '../../concurrency/turns.ts'

/** Large folders are read one at a time: the loop that reads them is one, and two would only hold twice the memory. */
const readers = queueOf(1)

/**
 * Reads a folder, a large one when its turn has come. A hundred readers of large folders at once, each with a part of
 * the entries in memory, would all be served late; in a row the first are served soon, and those who leave while they
 * wait have cost nothing. `read` asks at the first sight of a large folder whether it may go on, and is called again
 * when it may.
 */
export async function readInTurn<T>(
  read: (mayGoOn: () => boolean) => Promise<T | 'not yet'>,
  signal: Cancellation | undefined,
): Promise<T> {
  using turn = readers.turn()
  for (;;) {
    const result = await read(() => turn.begins())
    if (result !== 'not yet') return result
    await turn.begun()
    signal?.throwIfAborted()
  }
}
