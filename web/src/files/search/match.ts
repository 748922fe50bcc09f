/** How well a text fits what was typed: 0 where it does not, more where the match is closer. */
export function matchScore(typed: string, text: string): number {
  const [wanted, label] = [folded(typed), folded(text)]
  if (wanted === '') return 1
  if (label === wanted) return 5
  if (label.startsWith(wanted)) return 4
  if (wordStarts(label).some((at) => label.startsWith(wanted, at))) return 3
  if (label.includes(wanted)) return 2
  return wordStarts(label).some((at) => isSubsequence(wanted.replaceAll(' ', ''), label.slice(at))) ? 1 : 0
}

/** Without case and without accents, so that 'Loschen' finds 'Löschen'. */
const folded = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')

const wordStarts = (text: string): number[] => [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => index)

/**
 * 'nf' in 'new folder': the first letter begins a word, and the others follow in their order. Each begins a word, too, or
 * stands right after the one before it or one letter further, which forgives a letter that was left out.
 */
function isSubsequence(wanted: string, text: string): boolean {
  const starts = new Set(wordStarts(text))
  const follows = (from: number, rest: string): boolean => {
    if (rest === '') return true
    for (let at = from + 1; at < text.length; at += 1) {
      if (text[at] !== rest[0]) continue
      if ((at <= from + 2 || starts.has(at)) && follows(at, rest.slice(1))) return true
    }
    return false
  }
  return text[0] === wanted[0] && follows(0, wanted.slice(1))
}
