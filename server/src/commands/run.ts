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
export async function run(program: Program): Promise<Buffer> {
  const child = start(program)
  const timer = setTimeout(() => endGroup(child.pid), program.timeLimit)
  try {
    const [output] = await Promise.all([readLimited(child.stdout), readLimited(child.stderr)])
    if ((await child.exited) !== 0) throw new Failure('internal', `The program ${program.argv[0]} failed`)
    return output
  } finally {
    clearTimeout(timer)
    endGroup(child.pid)
  }
}

/** Runs a program and hands on every line it prints, from either stream, as it comes. Resolves to its exit status. */
export async function runLines(
  program: Program & { folder: string },
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const child = start(program)
  const stop = () => endGroup(child.pid)
  const timer = setTimeout(stop, program.timeLimit)
  signal.addEventListener('abort', stop)
  try {
    await Promise.all([eachLine(child.stdout, onLine), eachLine(child.stderr, onLine)])
    return await child.exited
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    endGroup(child.pid)
  }
}

function start({ argv, environment, input = '', folder }: Program & { folder?: string }) {
  try {
    return Bun.spawn([...argv], {
      env: environment,
      cwd: folder,
      stdin: new TextEncoder().encode(input),
      stdout: 'pipe',
      stderr: 'pipe',
      // A group of its own, so that what the program started can be ended with it.
      detached: true,
    })
  } catch (cause) {
    throw new Failure('internal', `The program ${argv[0]} could not be started`, { cause })
  }
}

async function readLimited(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stream) {
    size += piece.length
    if (size > mostOutput) throw new Failure('internal', 'The program printed too much')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** A line without end is handed on in parts: nothing may grow without limit. */
const longestLine = 64 * 1024

async function eachLine(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
    if (rest.length > longestLine) {
      onLine(rest)
      rest = ''
    }
  }
  if (rest !== '') onLine(rest)
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
