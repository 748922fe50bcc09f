/** What an answer to an upload request says about the next one. */
export type Verdict =
  /** The same once more, after a while. */
  | 'again'
  /** No server was reached: wait until there is one. */
  | 'cut-off'
  /** A proxy lets only smaller pieces through. */
  | 'smaller'
  /** A proxy does not let this kind of request through. */
  | 'other-way'
  | 'refused'

interface JudgedAnswer {
  /** 0 where there was none. */
  readonly status: number
  /** From Filestead itself, not from a proxy before it. */
  readonly isOwn: boolean
  readonly code: string | null
}

export function judge({ status, isOwn, code }: JudgedAnswer): Verdict {
  // Busy, locked or slowed down passes; a damaged piece may arrive whole the next time.
  if ([408, 423, 429, 460].includes(status) || code === 'wrong-offset') return 'again'
  // A full disk stays full for a while.
  if (isOwn) return status >= 500 && status !== 507 ? 'again' : 'refused'
  // A page with status 200 is that of a network which wants a sign-in first.
  if (status < 400 || [502, 503, 504].includes(status)) return 'cut-off'
  if (status === 413) return 'smaller'
  return [401, 407, 507].includes(status) ? 'refused' : 'other-way'
}

const smallestPiece = 16 * 1024

/** After a proxy has refused a piece as too big: how much to send at once from now on, or null if it is of no use. */
export const smallerPiece = (refused: number): number | null =>
  refused <= smallestPiece ? null : Math.max(smallestPiece, Math.floor(refused / 2))
