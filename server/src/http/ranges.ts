export interface ByteRange {
  readonly start: number
  /** The byte after the last one. */
  readonly end: number
}

/**
 * Parses a Range header: one range; 'all' where the header does not apply; 'none' where the range cannot be satisfied or
 * parsed. Several ranges are answered with the whole file, as RFC 9110 allows, and so is any range of an empty file,
 * because some clients always send one.
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
