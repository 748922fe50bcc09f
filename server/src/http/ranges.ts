export interface ByteRange {
  readonly start: number
  /** The byte after the last one. */
  readonly end: number
}

/**
 * What a Range header asks of a file: one piece, 'all' where the header does not apply to us, or 'none' where the piece
 * lies outside. Several pieces at once are answered with the whole file, as the standard allows.
 */
export function rangeIn(header: string | null, size: number): ByteRange | 'all' | 'none' {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(header ?? '')
  if (match === null) return 'all'
  const [first = '', last = ''] = match.slice(1)
  if (first === '' && last === '') return 'all'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return 'all'
  return start >= size ? 'none' : { start, end }
}
