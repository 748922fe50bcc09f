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
  const text = (await Bun.stdin.text()).replace(/\r?\n$/, '')
  if (/[\r\n]/.test(text))
    throw new Failure('invalid', 'Standard input holds more than one line: give the password alone')
  return text
}

async function askTwice(): Promise<string> {
  const password = await askHidden('Password: ')
  if ((await askHidden('Again: ')) !== password) throw new Failure('invalid', 'The two passwords differ')
  return password
}

/** One line of the terminal, which is not shown. */
function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  // Before the question: what is typed before the terminal is in raw mode would be shown.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  const answer = Promise.withResolvers<string>()
  let typed: string[] = []
  const read = (keys: string) => {
    for (const key of keys) {
      if (key === '\r' || key === '\n') return answer.resolve(typed.join(''))
      if (key === endOfText || key === endOfTransmission)
        return answer.reject(new Failure('invalid', 'No password was given'))
      if (key === '\b' || key === backspace) typed = typed.slice(0, -1)
      else typed.push(key)
    }
  }
  stdin.on('data', read)
  stdin.resume()
  return answer.promise.finally(() => {
    stdin.off('data', read)
    stdin.pause()
    stdin.setRawMode(false)
    stderr.write('\n')
  })
}

/** What a terminal in raw mode sends for Ctrl+C, Ctrl+D and the key for backspace. */
const [endOfText, endOfTransmission, backspace] = ['\u0003', '\u0004', '\u007f'] as const
