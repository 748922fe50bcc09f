import { ptr } from 'bun:ffi'
import { Failure } from '../failure.ts'
import { libc, SYS } from '../storage/linux/libc.ts'

const RLIMIT_DATA = 2

export interface Program {
  /** The program and its arguments. No shell ever sees them. */
  argv: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
  input?: string
  /** In milliseconds; the program and all it started are ended then. */
  timeLimit: number
  /** In bytes, of each process that the program becomes. */
  memoryLimit?: number
}

const mostOutput = 1 << 20

/** The process groups that run now. */
const running = new Set<number>()

/** Ends every program that still runs: without this process nothing limits their time. */
export function endPrograms(): void {
  for (const pid of running) endGroup(pid)
}

/** Runs a program to its end and returns what it printed. Anything but a clean exit is a failure. */
export const run = (program: Program, signal?: AbortSignal): Promise<Buffer> =>
  attended(program, signal, async (child, over) => {
    const [output] = await Promise.all([readLimited(child.stdout, over), readLimited(child.stderr, over)])
    if ((await child.exited) !== 0) throw new Failure('internal', `The program ${program.argv[0]} failed`)
    return output
  })

/** Takes a line; more come when what it returns is over. */
export type OnLine = (line: string) => unknown

/** Runs a program and hands on every line it prints, from either stream, as it comes. Resolves to its exit status. */
export const runLines = (program: Program & { folder: string }, onLine: OnLine, signal: AbortSignal): Promise<number> =>
  attended(program, signal, async (child, over) => {
    await Promise.all([eachLine(child.stdout, over, onLine), eachLine(child.stderr, over, onLine)])
    return child.exited
  })

/** Sees to it that a program and all that is read from it come to an end: with the work, the time or the one who asked. */
async function attended<T>(
  program: Program & { folder?: string },
  signal: AbortSignal | undefined,
  work: (child: ReturnType<typeof start>, over: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const child = start(program)
  running.add(child.pid)
  if (program.memoryLimit !== undefined) limitMemory(child.pid, program.memoryLimit)
  const over = new AbortController()
  const stop = () => {
    endGroup(child.pid)
    over.abort()
  }
  const timer = setTimeout(stop, program.timeLimit)
  signal?.addEventListener('abort', stop)
  try {
    return await work(child, over.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    stop()
    running.delete(child.pid)
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

/** Not to the end at any price: what has left the group keeps the stream open for as long as it runs. */
async function* piecesOf(stream: ReadableStream<Uint8Array>, over: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  over.addEventListener('abort', stop)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    over.removeEventListener('abort', stop)
    stop()
  }
}

async function readLimited(stream: ReadableStream<Uint8Array>, over: AbortSignal): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of piecesOf(stream, over)) {
    size += piece.length
    if (size > mostOutput) throw new Failure('internal', 'The program printed too much')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** A line without end is handed on in parts: nothing may grow without limit. */
const longestLine = 64 * 1024

async function eachLine(stream: ReadableStream<Uint8Array>, over: AbortSignal, onLine: OnLine): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of piecesOf(stream, over)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const taken = onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
      if (taken instanceof Promise) await taken
    }
    if (rest.length > longestLine) {
      await onLine(rest)
      rest = ''
    }
  }
  if (rest !== '') onLine(rest)
}

/** Of the data that a process allocates; files and libraries that it maps do not count. */
function limitMemory(pid: number, bytes: number): void {
  const limit = new BigUint64Array(new ArrayBuffer(16)).fill(BigInt(bytes))
  libc.syscall(SYS.prlimit64, pid, RLIMIT_DATA, ptr(limit), 0, 0)
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
