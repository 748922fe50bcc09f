import { Failure } from '../failure.ts'

/** Splits a command line as a POSIX shell does: quotes, backslashes, comments. Nothing is expanded. */
export function wordsOf(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let at = 0

  const append = (text: string) => {
    word = (word ?? '') + text
  }
  const end = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }

  while (at < line.length) {
    const char = line[at] ?? ''
    if (char === "'") {
      const close = closing(line, at, "'")
      append(line.slice(at + 1, close))
      at = close + 1
    } else if (char === '"') {
      const close = closing(line, at, '"')
      append(line.slice(at + 1, close).replace(/\\(["\\$`\n])/g, '$1'))
      at = close + 1
    } else if (char === '\\') {
      if (at + 1 >= line.length) throw new Failure('invalid', 'error parsing command: it ends with a backslash')
      append(line[at + 1] ?? '')
      at += 2
    } else if (/\s/.test(char)) {
      end()
      at += 1
    } else if (char === '#' && word === undefined) {
      break
    } else {
      append(char)
      at += 1
    }
  }
  end()
  return words
}

function closing(line: string, open: number, quote: string): number {
  for (let at = open + 1; at < line.length; at += 1) {
    if (line[at] === '\\' && quote === '"') at += 1
    else if (line[at] === quote) return at
  }
  throw new Failure('invalid', `error parsing command: a ${quote} is not closed`)
}
