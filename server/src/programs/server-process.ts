import { closeSync } from 'node:fs'

/** A process that serves, seen by its parent. */
export interface ServerProcess {
  readonly pid: number
  /** Resolves when it has ended and its last line of the log was read. */
  readonly exited: Promise<Exit>
  send(message: unknown): void
  kill(signal: NodeJS.Signals): void
}

export interface Exit {
  readonly code: number
  readonly signal: string | undefined
}

interface Start {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  received(message: unknown): void
  /** A whole line that it has written to its log. */
  logged(line: string): void
}

/** The descriptor by which it writes its log to the parent, which writes the lines of all. */
export const logDescriptor = 3

/** In milliseconds. A program that it has started may hold the pipe of the log open. */
const lastLines = 1000

/** Starts a process of this server. It ends by itself when this one is gone: the channel between them closes. */
export function startServerProcess({ command, environment, received, logged }: Start): ServerProcess {
  const child = Bun.spawn([...command], {
    env: environment,
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    serialization: 'json',
    ipc: received,
  })
  const fd = child.stdio[logDescriptor]
  const reading = typeof fd === 'number' ? passLines(fd, logged) : Promise.resolve()
  return {
    pid: child.pid,
    exited: child.exited.then(async (code) => {
      await Promise.race([reading, Bun.sleep(lastLines)])
      return { code, signal: child.signalCode === null ? undefined : String(child.signalCode) }
    }),
    send: (message) => child.send(message),
    kill: (signal) => child.kill(signal),
  }
}

/** A part of a line at the end is of a process that was killed while it wrote, and is left out. */
async function passLines(fd: number, logged: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const piece of Bun.file(fd).stream()) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) logged(`${line}\n`)
    }
  } catch {
    // Nothing more can be read, which is as good as the end.
  } finally {
    try {
      closeSync(fd)
    } catch {
      // The runtime has closed it with the stream.
    }
  }
}
