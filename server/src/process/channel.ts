import { deadline } from '../concurrency/deadline.ts'

/** What two processes of a server send each other: questions and answers, as JSON. */
export type Message = Question | Answer

interface Question {
  readonly id: number
  readonly topic: string
  readonly value: unknown
}

interface Answer {
  readonly to: number
  readonly value?: unknown
  /** The message of an error instead of a value. */
  readonly error?: string
}

export interface Channel {
  /** Rejects with the error of the other process, or where that ends before it answers. */
  ask(topic: string, value?: unknown): Promise<unknown>
  /** The same; undefined where there is no answer after so many milliseconds, or none at all. */
  askFor(milliseconds: number, topic: string, value?: unknown): Promise<unknown>
  /** Answers all questions of a topic from now on. */
  answer(topic: string, handler: Handler): void
  /** Takes what the other process has sent. */
  take(message: unknown): void
  /** The other process is gone. */
  close(): void
}

type Handler = (value: unknown) => unknown

export function channelOver(send: (message: Message) => void): Channel {
  const handlers = new Map<string, Handler>()
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let isClosed = false

  async function answer({ id, topic, value }: Question): Promise<void> {
    const answered = await outcomeOf(handlers.get(topic), value)
    if (!isClosed) sendQuietly({ to: id, ...answered })
  }

  /** To a process that ends in this moment; that it has ended is told by `close`. */
  function sendQuietly(message: Message): void {
    try {
      send(message)
    } catch {}
  }

  function ask(topic: string, value: unknown): Promise<unknown> {
    lastId += 1
    const answered = Promise.withResolvers<unknown>()
    if (isClosed) answered.reject(gone())
    else {
      waiting.set(lastId, answered)
      sendQuietly({ id: lastId, topic, value })
    }
    return answered.promise
  }

  return {
    ask,
    askFor: (milliseconds, topic, value) =>
      deadline(
        ask(topic, value).catch(() => undefined),
        milliseconds,
        undefined,
      ),
    answer: (topic, handler) => void handlers.set(topic, handler),
    take(message) {
      const known = message as Message
      if ('topic' in known) return void answer(known)
      const asked = waiting.get(known.to)
      waiting.delete(known.to)
      if (known.error === undefined) asked?.resolve(known.value)
      else asked?.reject(new Error(known.error))
    },
    close() {
      isClosed = true
      for (const asked of waiting.values()) asked.reject(gone())
      waiting.clear()
    },
  }
}

/** A topic that nothing answers yet has no answer, which is no error. */
async function outcomeOf(handler: Handler | undefined, value: unknown): Promise<Omit<Answer, 'to'>> {
  try {
    return { value: await handler?.(value) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

const gone = () => new Error('The other process has ended')
