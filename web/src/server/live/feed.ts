import type { ServerEvent } from '@filestead/contract'
import { waitFor } from '../../state/waiting.ts'
import { ApiError, call, isAbort } from '../client.ts'
import { isReachable, untilReachable } from '../connection.ts'
import { eventsIn } from './event-stream.ts'

interface FeedOptions {
  /** The id of the event that the page knows of last. The server sends what came after it. */
  last(): string | null
  /** Is there another connection until this one begins? Then nothing was missed. */
  isHandover(): boolean
  onEvent(event: ServerEvent): void
  /** All events up to this one have been told. */
  onId(id: string): void
  /** There is a connection. Where it is not a continued one, the server did not tell what came before it. */
  onConnected(isContinued: boolean): void
  onLost(): void
  /** Ends everything. */
  signal: AbortSignal
  times?: Partial<typeof usualTimes>
}

/** In milliseconds. */
const usualTimes = {
  /** So long after the folders have changed a connection for them is opened: a walk through a tree needs one, not ten. */
  change: 150,
  /** A connection begins with a word of the server. One that a proxy collects instead of passing it on says nothing. */
  hello: 15_000,
  /** The server gives a sign of life every 20 seconds. */
  silence: 50_000,
  /** Between tries: doubled each time. */
  firstPause: 1000,
  longestPause: 60_000,
  /** Where the server does not know events, or does not let this session have them. */
  refusedPause: 300_000,
}

interface Connection {
  folders: readonly string[]
  control: AbortController
}

/**
 * The one connection over which the server tells what changes. It is opened anew when other folders are wanted, and the old
 * one ends only when the new one has begun, so that nothing is missed in between.
 */
export function openFeed({ signal, ...options }: FeedOptions) {
  const wait = { ...usualTimes, ...options.times }
  let wanted: readonly string[] | null = null
  let current: Connection | null = null
  let next: Connection | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0

  function openIn(time: number): void {
    clearTimeout(timer)
    if (!signal.aborted) timer = setTimeout(() => void open(), time)
  }

  async function open(): Promise<void> {
    next?.control.abort()
    const own: Connection = { folders: wanted ?? [], control: new AbortController() }
    next = own
    const over = AbortSignal.any([own.control.signal, signal])
    try {
      await read(own, over)
      end(own, null)
    } catch (error) {
      end(own, error)
    }
  }

  async function read(own: Connection, over: AbortSignal): Promise<void> {
    const watch = silenceWatch(own.control, wait.hello)
    try {
      const isSwap = current !== null || options.isHandover()
      const id = isSwap ? null : options.last()
      const headers = { Accept: 'text/event-stream', ...(id !== null && { 'Last-Event-ID': id }) }
      const query = new URLSearchParams(own.folders.map((folder) => ['folder', folder]))
      const path = own.folders.length === 0 ? 'events' : `events?${query}`
      const response = await call('GET', path, { headers, signal: over, isBackground: true })
      for await (const { events, id: arrived } of eventsIn(response)) {
        if (over.aborted) return
        if (arrived !== null) options.onId(arrived)
        // The first event, whichever it is, tells that the connection is there.
        if (events.length > 0 && own !== current) begin(own, isSwap || id !== null)
        if (own === current) watch.extend(wait.silence)
        for (const event of events) deliver(event)
      }
    } finally {
      watch.stop()
    }
  }

  function begin(own: Connection, isContinued: boolean): void {
    const before = current
    current = own
    if (next === own) next = null
    before?.control.abort()
    failures = 0
    options.onConnected(isContinued)
  }

  function deliver({ name, data }: { name: string; data: string }): void {
    try {
      options.onEvent({ name, data: JSON.parse(data) } as ServerEvent)
    } catch (error) {
      // One event that cannot be shown must not keep the next ones from being shown.
      reportError(error)
    }
  }

  /** A connection is over. One that was replaced, or given up for another one, needs nothing. */
  function end(own: Connection, error: unknown): void {
    if (own !== current && own !== next) return
    if (next === own) next = null
    if (current === own) {
      current = null
      if (!signal.aborted) options.onLost()
    }
    // A newer one is on its way.
    if (signal.aborted || next !== null) return
    void tryAgain(error)
  }

  async function tryAgain(error: unknown): Promise<void> {
    const pause = pauseAfter(error)
    failures += 1
    const isOut = (error === null || isLost(error)) && !(await isReachable())
    if (isOut) await waitFor(signal, { event: untilReachable(), time: wait.longestPause }).catch(() => {})
    openIn(isOut ? wait.firstPause * Math.random() : pause)
  }

  /** Not all browsers come back at the same moment after the server was away. */
  function pauseAfter(error: unknown): number {
    if (error instanceof ApiError && error.retryAfter > 0) return error.retryAfter * 1000
    if (error instanceof ApiError && [400, 403, 404, 405, 501].includes(error.status)) return wait.refusedPause
    const pause = Math.min(wait.longestPause, wait.firstPause * 2 ** failures)
    return pause * (0.5 + Math.random() / 2)
  }

  signal.addEventListener('abort', () => clearTimeout(timer))

  return {
    /** Which folders the server shall tell about. The first call opens the connection. */
    follow(folders: readonly string[]): void {
      if (wanted !== null && isSame(wanted, folders)) return
      const isFirst = wanted === null
      wanted = folders
      openIn(isFirst ? 0 : wait.change)
    },
  }
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((folder, index) => folder === other[index])

/** Cut off, or silent for too long. */
const isLost = (error: unknown): boolean => isAbort(error) || (error instanceof ApiError && error.status === 0)

/** Ends a connection that has said nothing for so long. */
function silenceWatch(control: AbortController, first: number) {
  let timer = setTimeout(() => control.abort(), first)
  return {
    extend(time: number): void {
      clearTimeout(timer)
      timer = setTimeout(() => control.abort(), time)
    },
    stop: () => clearTimeout(timer),
  }
}
