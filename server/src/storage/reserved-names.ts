/** Is this name kept for something of the server's own? */
export type NameTest = (name: string) => boolean

/** Names that are kept as they are, and those whose beginning is kept, in every spelling that a volume may take for it. */
export function namesKept(exact: readonly string[], families: readonly string[]): NameTest {
  const names = new Set(exact.map(spelt))
  const beginnings = [...new Set(families.map(oneCase))]
  const firsts = new Set([...names, ...beginnings].map((text) => text.charCodeAt(0)))
  return (name) => {
    // Nearly every name is settled by its first letter.
    const first = name.charCodeAt(0)
    if (first < 128 && !firsts.has(first) && !firsts.has(first | small)) return false
    const text = spelt(name)
    return names.has(text) || beginnings.some((beginning) => belongsTo(text, beginning))
  }
}

/** The bit that tells small letters from capitals. */
const small = 0x20

/** 'data' has 'data-wal' and 'data.old' in its family and not 'database.txt'; 'data.db' has all that begins like it. */
function belongsTo(name: string, beginning: string): boolean {
  if (!name.startsWith(beginning)) return false
  return beginning.includes('.') || !/^[\p{L}\p{N}]/u.test(name.slice(beginning.length))
}

/**
 * As volumes read a name that know neither capitals, nor other forms of a letter, nor marks that cannot be seen, nor
 * dots and blanks at the end.
 */
const spelt = (name: string): string => oneCase(name).replace(/[. ]+$/, '')

const oneCase = (name: string): string =>
  (isPlain.test(name) ? name : name.normalize('NFKC').replace(unseen, '')).toLowerCase()

const isPlain = /^[ -~]*$/
const unseen = /\p{Default_Ignorable_Code_Point}/gu
