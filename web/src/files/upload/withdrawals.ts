import { withdrawFile } from './transport.ts'

/** On a dead line nothing is withdrawn, and what is sent to the same place does not wait for it for ever. */
const longest = 20_000

export interface Withdrawals {
  /** Tells the server that it need not keep what it has of a file. Never fails. */
  begin(path: string): Promise<void>
  /** The server knows an upload by its path: a late withdrawal would end the next one there, which waits for this. */
  ended(path: string): Promise<void> | undefined
  forget(): void
}

export function withdrawalsIn(session: AbortSignal): Withdrawals {
  const byPath = new Map<string, Promise<void>>()
  return {
    async begin(path) {
      const signal = AbortSignal.any([AbortSignal.timeout(longest), session])
      const own = withdrawFile(path, signal).catch(() => {})
      // An earlier one there may come later.
      const withdrawal = Promise.all([own, byPath.get(path)]).then(() => {})
      byPath.set(path, withdrawal)
      await withdrawal
      if (byPath.get(path) === withdrawal) byPath.delete(path)
    },
    ended: (path) => byPath.get(path),
    forget: () => byPath.clear(),
  }
}
