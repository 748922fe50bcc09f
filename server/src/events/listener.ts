import type { ServerEvent } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { VirtualPath } from '../storage/path.ts'

/** In bytes: a client that lets so much wait has stopped reading. */
const mostWaiting = 256 * 1024

/** So many beats may wait: the connection is gone, or nothing reads it. */
const mostUntaken = 3
/** In characters: longer events are not compared with the next one. */
const longestKept = 16 * 1024

/** An event about a folder as text, which many listeners share. */
export interface FolderEvent {
  readonly text: string
  readonly isStale: boolean
}

export const folderEvent = (event: ServerEvent): FolderEvent => ({
  text: eventText(event),
  isStale: event.name === 'stale',
})

export const staleEvent = (folder: VirtualPath): FolderEvent => folderEvent({ name: 'stale', data: { folder } })

/** Who listens, and to what. */
export interface Listening {
  /** The account, or the network of a guest. */
  readonly key: number
  /** Of one session: rights are asked for once for all its streams. */
  readonly session: string
  readonly folders: readonly VirtualPath[]
  /** Jobs of all accounts, for administrators. */
  readonly all: boolean
  /** The scope as it is now. Fails once the session has ended. */
  again(): Promise<Scope>
}

/** One stream of events: the text that its client has not taken yet. */
export class Listener {
  readonly listening: Listening
  /** By the path of a folder: the last thing that was told about it. */
  readonly #lastTold = new Map<string, string>()
  /** In order; of those with a key the last one counts. */
  #waiting = new Map<string | number, string>()
  #count = 0
  /** Beats since the client has taken something. */
  #untaken = 0
  #size = 0
  #wake: (() => void) | undefined
  #isOver = false
  #hasBegun = false
  readonly #ended: (reason: 'over' | 'stalled') => void

  /** `ended` is called once, when nothing more is sent. */
  constructor(listening: Listening, ended: (reason: 'over' | 'stalled') => void) {
    this.listening = listening
    this.#ended = ended
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The first events; what was sent before waits behind them. */
  begin(events: readonly ServerEvent[], id: string): void {
    this.#hasBegun = true
    const first = events.map((event) => `id: ${id}\n${eventText(event)}`).join('')
    this.#waiting = new Map([['', first], ...this.#waiting])
    this.#wakeUp()
  }

  /** With a key it takes the place of what waits with the same one. */
  send(event: ServerEvent, id: string, key?: string): void {
    this.#put(`id: ${id}\n${eventText(event)}`, key)
  }

  /** About a folder: what was told last is not told again, for the disk tells of our own changes, too. */
  sendAbout(folder: VirtualPath, { text, isStale }: FolderEvent, id: string): void {
    if (!isStale && this.#lastTold.get(folder) === text) return
    this.#lastTold.set(folder, text.length > longestKept ? '' : text)
    this.#put(`id: ${id}\n${text}`)
  }

  /** Moves the id on without an event. Proxies see that the connection is in use. */
  beat(id: string): void {
    this.#untaken += 1
    if (this.#untaken > mostUntaken) this.end('stalled')
    else this.#put(`:\nid: ${id}\n\n`, 'beat')
  }

  /** All that waits, as soon as there is something; undefined at the end. */
  async next(): Promise<string | undefined> {
    while ((this.#waiting.size === 0 || !this.#hasBegun) && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#waiting.size === 0) return undefined
    const text = [...this.#waiting.values()].join('')
    this.#waiting.clear()
    this.#size = 0
    this.#untaken = 0
    return text
  }

  /** Nothing is sent any more, but what waits. */
  end(reason: 'over' | 'stalled' = 'over'): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#wakeUp()
    this.#ended(reason)
  }

  /** A single event may be larger than all that may wait. */
  #put(text: string, key?: string): void {
    if (this.#isOver) return
    this.#count += 1
    if (key !== undefined) {
      this.#size -= this.#waiting.get(key)?.length ?? 0
      this.#waiting.delete(key)
    }
    if (this.#size > mostWaiting) {
      this.#waiting.clear()
      this.end('stalled')
      return
    }
    this.#waiting.set(key ?? this.#count, text)
    this.#size += text.length
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}

const eventText = ({ name, data }: ServerEvent): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
