import { type Exit, type ServerProcess, startServerProcess } from '../programs/server-process.ts'
import { type Channel, channelOver } from './channel.ts'

/** A process that serves, seen by its parent. */
export interface Serving extends Pick<ServerProcess, 'pid' | 'kill'> {
  readonly channel: Channel
  /** Resolves when it answers requests; rejects where it ends before. */
  readonly ready: Promise<unknown>
  readonly exited: Promise<Exit>
}

interface KeeperOptions {
  start(): Serving
  /** A process has ended that should not have; another takes its place after so many milliseconds. */
  ended(process: Serving, exit: Exit, pause: number): void
  /** So many have ended in a row before they served anything. */
  givesUp(): void
  now?: () => number
  sleep?: (milliseconds: number) => Promise<unknown>
}

export interface Keeper {
  /** Those that run, the oldest first. */
  all(): readonly Serving[]
  /** From now on this one is replaced when it ends. */
  keep(process: Serving): void
  /** From now on nothing is replaced; resolves when all have ended. */
  stop(signal: NodeJS.Signals): Promise<void>
}

/** In milliseconds: one that has served for so long did not fail by its start. */
const lasting = 10_000
const firstPause = 100
const longestPause = 10_000
const mostFailedStarts = 5

/** Keeps serving processes running. What ends again and again is started after growing pauses. */
export function keeperOf({
  start,
  ended,
  givesUp,
  now = () => performance.now(),
  sleep = Bun.sleep,
}: KeeperOptions): Keeper {
  const running = new Set<Serving>()
  let isStopping = false
  /** Of all of them, in a row: those that did not last, and those that never were ready. */
  let shortLives = 0
  let failedStarts = 0

  async function replaceAfter(process: Serving): Promise<void> {
    const since = now()
    let wasReady = false
    process.ready.then(
      () => {
        wasReady = true
      },
      () => {},
    )
    const exit = await process.exited
    running.delete(process)
    process.channel.close()
    if (isStopping) return
    failedStarts = wasReady ? 0 : failedStarts + 1
    shortLives = wasReady && now() - since > lasting ? 0 : shortLives + 1
    if (failedStarts >= mostFailedStarts) return givesUp()
    const pause = shortLives === 0 ? 0 : Math.min(firstPause * 2 ** (shortLives - 1), longestPause)
    ended(process, exit, pause)
    await sleep(pause)
    if (!isStopping) keep(start())
  }

  function keep(process: Serving): void {
    running.add(process)
    void replaceAfter(process)
  }

  return {
    all: () => [...running],
    keep,
    async stop(signal) {
      isStopping = true
      const last = [...running]
      for (const process of last) process.kill(signal)
      await Promise.all(last.map(({ exited }) => exited))
    },
  }
}

interface StartOptions {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  logged(line: string): void
  /** Before it can ask anything. */
  answers(channel: Channel): void
}

/** Starts a process, with a channel to it. */
export function startServing({ command, environment, logged, answers }: StartOptions): Serving {
  const channel = channelOver((message) => process.send(message))
  answers(channel)
  const process = startServerProcess({ command, environment, logged, received: channel.take })
  const isReady = Promise.withResolvers<unknown>()
  channel.answer('ready', isReady.resolve)
  // Where nothing waits for it.
  isReady.promise.catch(() => {})
  void process.exited.then(({ code, signal }) => isReady.reject(new Error(signal ?? `exit code ${code}`)))
  return { pid: process.pid, kill: process.kill, exited: process.exited, channel, ready: isReady.promise }
}
