/** By code units: the same on every machine, whatever its language. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/**
 * Sort key in natural order: every run of digits is preceded by its length, so 2 comes before 10. Comparing
 * such keys is plain string comparison; Intl.Collator takes seconds for 100,000 names.
 */
export function naturalKey(name: string): string {
  const lower = name.toLowerCase()
  let key = ''
  let copied = 0
  for (let at = 0; at < lower.length; at += 1) {
    if (!isDigit(lower.charCodeAt(at))) continue
    let end = at + 1
    while (isDigit(lower.charCodeAt(end))) end += 1
    let start = at
    while (start < end - 1 && lower.charCodeAt(start) === 48) start += 1
    key += `${lower.slice(copied, at)}0${String.fromCharCode(end - start)}${lower.slice(start, end)}`
    copied = end
    at = end - 1
  }
  return copied === 0 ? lower : key + lower.slice(copied)
}
