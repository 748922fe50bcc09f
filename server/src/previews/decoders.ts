import { semaphore } from '../concurrency/semaphore.ts'
import { Failure } from '../failure.ts'
import { decoderProgram } from '../parts.ts'
import { confinedCommand, runtimeCommand, runtimeEnvironment } from '../programs/confined.ts'
import type { Frame, Task } from './decoder/wire.ts'
import { DecoderLost, type DecoderProcess, type ProcessLimits, startDecoder } from './decoder-process.ts'

export interface DecoderOptions extends ProcessLimits {
  /** After so many milliseconds without work a child ends. */
  idleTime: number
  /** After a child could not be started, none is started for so many milliseconds. */
  pauseAfterFailure: number
  /** The program to start, and its arguments. */
  argv: readonly string[]
}

/** The reading of files that may be made to break their readers, in child processes. */
export interface Decoders {
  /** A smaller picture. As many children work as there are calls at a time; the caller limits them. */
  decode(task: Omit<Task, 'mayBeLarge'>, descriptor: number, fileSize: number): Promise<Uint8Array<ArrayBuffer>>
  /** Starts a child before it is needed; fails where none runs. */
  start(): Promise<void>
  close(): void
}

const memoryLimit = 512 << 20
const longestSentence = 300

const usual: DecoderOptions = {
  startLimit: 20_000,
  timeLimit: 15_000,
  memoryLimit,
  watchEvery: 100,
  idleTime: 20_000,
  pauseAfterFailure: 10_000,
  argv: [...runtimeCommand, decoderProgram, String(memoryLimit)],
}

/** Children start with the first picture, stay for the next ones, and end when there is nothing to do for a while. */
export function decodersWith(given: Partial<DecoderOptions> = {}): Decoders {
  const options = { ...usual, ...given }
  const all = new Set<DecoderProcess>()
  const idle: { child: DecoderProcess; timer: NodeJS.Timeout }[] = []
  // Held twice, a picture that takes much memory could be too much for a small machine.
  const large = semaphore(1)
  let notBefore = 0
  let isClosed = false

  function forget(child: DecoderProcess): void {
    all.delete(child)
    const at = idle.findIndex((entry) => entry.child === child)
    for (const { timer } of at === -1 ? [] : idle.splice(at, 1)) clearTimeout(timer)
  }

  async function startChild(): Promise<DecoderProcess> {
    if (isClosed || performance.now() < notBefore) throw noDecoder()
    const environment = { ...runtimeEnvironment }
    let child: DecoderProcess | undefined
    try {
      child = startDecoder({ argv: confinedCommand(options.argv, { environment }), environment }, options)
      const started = child
      all.add(started)
      void started.exited.then(() => forget(started))
      const { outcome } = await started.ready
      if (outcome === 'ready') return started
      throw new DecoderLost('start')
    } catch (cause) {
      // Neither the library nor the system may be able to; the next picture would meet the same.
      child?.end()
      notBefore = performance.now() + options.pauseAfterFailure
      throw noDecoder(cause)
    }
  }

  function takeIdle(): DecoderProcess | undefined {
    const taken = idle.pop()
    clearTimeout(taken?.timer)
    return taken?.child
  }

  function putBack(child: DecoderProcess): void {
    const timer = setTimeout(() => {
      forget(child)
      child.end()
    }, options.idleTime)
    timer.unref()
    idle.push({ child, timer })
  }

  async function attempt(task: Task, descriptor: number, fileSize: number): Promise<Frame> {
    const child = takeIdle() ?? (await startChild())
    try {
      const frame = await child.decode(task, descriptor, fileSize)
      putBack(child)
      return frame
    } catch (error) {
      child.end()
      throw error
    }
  }

  /** A child may have been ended by something else than the file, so a second one tries before the file is blamed. */
  async function attemptTwice(task: Task, descriptor: number, fileSize: number): Promise<Frame> {
    try {
      return await attempt(task, descriptor, fileSize)
    } catch (error) {
      if (!(error instanceof DecoderLost) || error.reason !== 'exit') throw error
      return attempt(task, descriptor, fileSize)
    }
  }

  return {
    async decode(task, descriptor, fileSize) {
      const ask = (mayBeLarge: boolean) => attemptTwice({ ...task, mayBeLarge }, descriptor, fileSize)
      const first = await ask(false)
      const { outcome, body } = first.outcome === 'large' ? await large.run(() => ask(true)) : first
      if (outcome === 'picture') return body
      const sentence = new TextDecoder().decode(body.subarray(0, longestSentence))
      throw new Failure(outcome === 'too-large' ? 'too-large' : 'invalid', sentence)
    },
    start: async () => putBack(await startChild()),
    close() {
      isClosed = true
      for (const child of [...all]) {
        forget(child)
        child.end()
      }
    },
  }
}

const noDecoder = (cause?: unknown) =>
  new Failure('no-preview', 'The image library does not run on this machine', { cause })
