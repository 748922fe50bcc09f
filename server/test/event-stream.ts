import type { ServerEvent } from '@filestead/contract'
import type { Ask } from './server.ts'

export type Told = ServerEvent & { readonly id: string }
type Name = ServerEvent['name']
type Data<N extends Name> = Extract<ServerEvent, { name: N }>['data']

/** A client of `GET /api/events`. */
export interface EventStream extends AsyncDisposable {
  readonly response: Response
  /** All that has come so far. */
  readonly told: readonly Told[]
  /** The id of the last event, or of a heartbeat after it. */
  readonly lastId: string
  /** The first event of a name that fits, from those that have come or will come. Fails when the stream ends before. */
  until<N extends Name>(name: N, fits?: (data: Data<N>) => boolean): Promise<Data<N>>
  /** Forgets what has come. */
  forget(): void
  /** Over when the server has ended it. */
  readonly ended: Promise<void>
}

export async function openEvents(ask: Ask, query = '', init: RequestInit = {}): Promise<EventStream> {
  const stop = new AbortController()
  const response = await ask(`/api/events${query}`, { ...init, signal: stop.signal })
  if (response.status !== 200) throw new Error(`The stream answered ${response.status}: ${await response.text()}`)
  const told: Told[] = []
  let lastId = ''
  let isOver = false
  let wake = Promise.withResolvers<void>()
  const stir = () => {
    wake.resolve()
    wake = Promise.withResolvers()
  }

  function take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line]))
    const fieldOf = (field: string) => fields.get(field)?.slice(field.length + 2)
    lastId = fieldOf('id') ?? lastId
    const data = fieldOf('data')
    if (data !== undefined) told.push({ name: fieldOf('event'), data: JSON.parse(data), id: lastId } as unknown as Told)
    stir()
  }

  async function read(): Promise<void> {
    let text = ''
    try {
      for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        text += Buffer.from(piece).toString()
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          take(text.slice(0, end))
          text = text.slice(end + 2)
        }
      }
    } catch {
      // Cut, by this side or the other.
    }
    isOver = true
    stir()
  }

  const ended = read()
  return {
    response,
    told,
    get lastId() {
      return lastId
    },
    async until(name, fits = () => true) {
      for (;;) {
        const found = told.find((event) => event.name === name && fits(event.data as Data<typeof name>))
        if (found !== undefined) return found.data as Data<typeof name>
        if (isOver) throw new Error(`The stream ended without ${name}: ${JSON.stringify(told)}`)
        await wake.promise
      }
    },
    forget: () => void told.splice(0),
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ended
    },
  }
}

export const openFolder = (...folders: string[]): string =>
  `?${folders.map((folder) => `folder=${encodeURIComponent(folder)}`).join('&')}`
