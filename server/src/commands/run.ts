import { Failure } from '../failure.ts'

export interface Program {
  /** The program and its arguments. No shell ever sees them. */
  argv: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
  input?: string
  /** In milliseconds; the program and all it started are ended then. */
  timeLimit: number
}

const mostOutput = 1 << 20

/** Runs a program to its end and returns what it printed. Anything but a clean exit is a failure. */
export async function run({ argv, environment, input = '', timeLimit }: Program): Promise<string> {
  const child = start(argv, environment, input)
  // A group of its own, so that what the program started can be ended with it.
  const timer = setTimeout(() => endGroup(child.pid), timeLimit)
  try {
    const output = await readLimited(child.stdout)
    const code = await child.exited
    if (code !== 0) throw new Failure('internal', 'The program failed')
    return output
  } finally {
    clearTimeout(timer)
    endGroup(child.pid)
  }
}

function start(argv: readonly string[], environment: Program['environment'], input: string) {
  try {
    return Bun.spawn(['setsid', ...argv], {
      env: environment,
      stdin: new TextEncoder().encode(input),
      stdout: 'pipe',
      stderr: 'inherit',
    })
  } catch (cause) {
    throw new Failure('internal', 'The program could not be started', { cause })
  }
}

async function readLimited(stream: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stream as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > mostOutput) throw new Failure('internal', 'The program printed too much')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
