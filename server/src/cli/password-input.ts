import { isatty } from 'node:tty'
import { Failure } from '../failure.ts'

/**
 * A password that was given as an argument, is read from standard input for `-`, or is asked for at a terminal: arguments
 * stay in the history of the shell and are shown by `ps`.
 */
export async function readPassword(given: string | undefined): Promise<string> {
  if (given !== undefined && given !== '-') return given
  if (isatty(0)) return askTwice()
  if (given === undefined) throw new Failure('invalid', 'The password is missing: give it, or - for standard input')
  const text = (await readInput()).replace(/\r?\n$/, '')
  if (/[\r\n]/.test(text))
    throw new Failure('invalid', 'Standard input holds more than one line: give the password alone')
  if (controls.test(text))
    throw new Failure('invalid', 'The password has a control character, which nobody can type to sign in')
  return text
}

/** In bytes: far more than the longest password, so that an endless file does not fill the memory. */
const mostInput = 65_536

const controls = /[^\P{Cc}\t]/u

async function readInput(): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of Bun.stdin.stream()) {
    parts.push(part)
    size += part.length
    if (size > mostInput) throw new Failure('invalid', 'Standard input is too long for a password')
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (cause) {
    // Replaced characters would be stored as another password than the one that was meant.
    throw new Failure('invalid', 'The password is not UTF-8', { cause })
  }
}

async function askTwice(): Promise<string> {
  const first = await askHidden('Password: ')
  const second = await askHidden('Again: ', first.rest)
  if (second.line !== first.line) throw new Failure('invalid', 'The two passwords differ')
  return first.line
}

interface Answer {
  readonly line: string
  /** What was typed or pasted behind the line: the answer to the next question. */
  readonly rest: string
}

/** One line of the terminal, which is not shown. */
function askHidden(question: string, typedAhead = ''): Promise<Answer> {
  const { stdin, stderr } = process
  // Before the question: what is typed before the terminal is in raw mode would be shown.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  const answer = Promise.withResolvers<Answer>()
  const refuse = () => answer.reject(new Failure('invalid', 'No password was given'))
  let typed: string[] = []
  const read = (input: string) => {
    const keys = [...input.replace(sequences, '')]
    for (const [at, key] of keys.entries()) {
      if (key === '\r' || key === '\n') {
        const rest = keys.slice(at + 1).join('')
        return answer.resolve({ line: typed.join(''), rest: key === '\r' ? rest.replace(/^\n/, '') : rest })
      }
      if (key === endOfText || key === endOfTransmission) return refuse()
      if (key === '\b' || key === backspace) typed = typed.slice(0, -1)
      else if (key === eraseLine) typed = []
      else if (!controls.test(key)) typed.push(key)
    }
  }
  stdin.on('data', read)
  stdin.once('end', refuse)
  stdin.resume()
  read(typedAhead)
  return answer.promise.finally(() => {
    stdin.off('data', read)
    stdin.off('end', refuse)
    stdin.pause()
    stdin.setRawMode(false)
    stderr.write('\n')
  })
}

/** What a terminal in raw mode sends for Ctrl+C, Ctrl+D, the key for backspace, and Ctrl+U, which begins anew. */
const [endOfText, endOfTransmission, backspace, eraseLine] = ['\u0003', '\u0004', '\u007f', '\u0015'] as const

/** Arrows and other keys that send more than one character, and the marks around what is pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin with the control character of Escape.
const sequences = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])/g
