import { Failure } from '../failure.ts'

export interface Program {
  /** The program and its arguments. No shell ever sees them. */
  argv: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
  /** Where it starts; where this process did, if nothing is said. */
  folder?: string
  /** Text for its standard input, or the descriptor that becomes that. */
  input?: string | number
  /** In milliseconds; the program and all it started are ended then. */
  timeLimit: number
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
export const runLines = (program: Program, onLine: OnLine, signal: AbortSignal): Promise<number> =>
  attended(program, signal, async (child, over) => {
    await Promise.all([eachLine(child.stdout, over, onLine), eachLine(child.stderr, over, onLine)])
    return child.exited
  })

/** Ends a program and all that is read from it with the work, the time limit or the signal, whichever comes first. */
async function attended<T>(
  program: Program,
  signal: AbortSignal | undefined,
  work: (child: ReturnType<typeof start>, over: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const child = start(program)
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

/** A program that stays, and is talked to through its standard input and output. */
export interface Service {
  readonly pid: number
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly exited: Promise<unknown>
  end(): void
}

/** Starts a program that is ended by `end`, or with the server. It does not keep the server running. */
export function startService(program: Startable): Service {
  const child = started(program, () => Bun.spawn([...program.argv], { ...spawnOptions(program), stderr: 'ignore' }))
  child.unref()
  const { pid, stdout: output } = child
  const exited = child.exited.finally(() => running.delete(pid))
  return { pid, output, exited, end: () => running.has(pid) && endGroup(pid) }
}

type Startable = Omit<Program, 'timeLimit'>

const start = (program: Startable) =>
  started(program, () => Bun.spawn([...program.argv], { ...spawnOptions(program), stderr: 'pipe' }))

const spawnOptions = ({ environment, input = '', folder }: Startable) => ({
  env: environment,
  cwd: folder,
  stdin: typeof input === 'number' ? input : new TextEncoder().encode(input),
  stdout: 'pipe' as const,
  // A group of its own, so that what the program started can be ended with it.
  detached: true,
})

function started<Child extends { pid: number }>({ argv }: Startable, spawn: () => Child): Child {
  try {
    const child = spawn()
    running.add(child.pid)
    return child
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

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
