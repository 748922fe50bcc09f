export interface ByteRange {
  readonly start: number
  /** The byte after the last one. */
  readonly end: number
}

/**
 * What a Range header asks of a file: one piece, 'all' where the header does not apply to us, or 'none' where the piece
 * lies outside or cannot be understood. Several pieces at once are answered with the whole file, as the standard
 * allows, and so is any piece of an empty one: some clients always ask for pieces.
 */
export function rangeIn(header: string | null, size: number): ByteRange | 'all' | 'none' {
  if (header === null || size === 0 || !header.startsWith('bytes=') || header.includes(',')) return 'all'
  const match = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/.exec(header)
  if (match === null) return 'none'
  const [first = '', last = ''] = match.slice(1)
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  return start >= end ? 'none' : { start, end }
}
