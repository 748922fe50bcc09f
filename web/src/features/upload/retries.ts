const first = 1000
const longest = 20_000

/** How long to wait before each further try: not at all, then 1 s, 2 s, 4 s … 20 s. */
export const retryDelays = (count: number): number[] =>
  Array.from({ length: Math.max(0, count) }, (_, index) =>
    index === 0 ? 0 : Math.min(longest, first * 2 ** (index - 1)),
  )

/** Is it worth trying again after this answer? 0 stands for none. */
export function isWorthAnotherTry(status: number): boolean {
  // Busy or slowed down passes; a damaged piece may arrive whole the next time. A full disk stays full for a while.
  if (status === 408 || status === 423 || status === 429 || status === 460) return true
  return status === 0 || (status >= 500 && status !== 507)
}

const smallestPiece = 256 * 1024

/** After a proxy has refused a piece as too big: how much to send at once from now on, or null if it is of no use. */
export const smallerPiece = (refused: number): number | null =>
  refused <= smallestPiece ? null : Math.max(smallestPiece, Math.floor(refused / 2))
