import { expect, test } from 'bun:test'
import { run, runLines } from './run.ts'

test.each([
  ['one\\ntwo\\n', ['one', 'two']],
  ['one\\r\\ntwo', ['one', 'two']],
  ['one\\n\\n two', ['one', '', ' two']],
  ['50%%\\r100%%\\n', ['50%\r100%']],
])('what is printed as %j comes line by line', async (printed, expected) => {
  const lines: string[] = []
  const program = { argv: ['printf', printed], environment: {}, timeLimit: 5000, folder: '/' }
  expect(await runLines(program, (line) => lines.push(line), new AbortController().signal)).toBe(0)
  expect(lines).toEqual(expected)
})

const settings = { environment: process.env, timeLimit: 100, folder: '/' }
/** It leaves the group of the program, and is not ended with the group. */
const runaway = ['sh', '-c', 'setsid sleep 90 & echo "$!"']

test('run waits for a process that left the group of its program no longer than the time limit', async () => {
  const output = await run({ ...settings, argv: runaway })
  process.kill(Number(output))
})

test('run ends when its client leaves, though a process that left the group goes on', async () => {
  const leaving = new AbortController()
  let left = ''
  const leave = (line: string) => {
    left = line
    leaving.abort()
  }
  await runLines({ ...settings, timeLimit: 90_000, argv: runaway }, leave, leaving.signal)
  process.kill(Number(left))
})

test('no program is started for a client that has left', async () => {
  const program = { ...settings, argv: ['sleep', '30'], timeLimit: 60_000 }
  await expect(runLines(program, () => {}, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})

test('runLines waits until a line is taken before it hands on the next', async () => {
  const [handed, taken]: string[][] = [[], []]
  const slowly = async (line: string) => {
    handed?.push(line)
    await Bun.sleep(1)
    taken?.push(line)
    expect(handed).toEqual(taken)
  }
  await runLines({ ...settings, timeLimit: 5000, argv: ['seq', '20'] }, slowly, new AbortController().signal)
  expect(taken).toHaveLength(20)
})

test('a program is ended when its signal aborts', async () => {
  const left = new AbortController()
  const running = run({ argv: ['sleep', '1000'], environment: process.env, timeLimit: 1_000_000 }, left.signal)
  left.abort()
  await expect(running).rejects.toThrow()
})
