import { noSiblings, type Siblings } from '../nodes/siblings.ts'
import { keyOf, type News, weightOf } from './news.ts'

/** News with its number in this process. */
export interface Numbered {
  readonly number: number
  readonly news: News
}

/** Passes news on to the listeners of this process and of the others, and remembers the last ones. */
export interface Bus {
  /** Cheap where nothing listens. */
  publish(news: News): void
  /** What only this process can know, or what every process finds out for itself. */
  publishHere(news: News): void
  /** Does any process want news? */
  readonly isHeard: boolean
  /** The number of the last news. */
  readonly last: number
  /** A number of its own for this moment. */
  mark(): number
  /** The id of an event that tells of all news up to a number. */
  idOf(number: number): string
  /** The news behind an id, in order; undefined where they are not known any more. */
  since(id: string): readonly Numbered[] | undefined
  /** The number in an id of this process. */
  numberIn(id: string): number | undefined
  /** From now on news are wanted; other processes know it when this is over. Until then nothing is remembered. */
  hear(take: (news: Numbered) => void): Promise<void>
  /** They are wanted no longer. */
  ignore(): void
  /** Called when news of other processes may be missing, and none of before can be continued. */
  onMissed(handler: () => void): void
  close(): void
}

export interface BusOptions {
  siblings?: Siblings
  /** So many news are remembered, fewer where they tell of many names. */
  most?: number
  /** In milliseconds: so long news for other processes are collected. */
  collectFor?: number
}

/** In milliseconds: a process that listens says so again in half of that time. */
const heardFor = 60_000

const newsTopic = 'events'
const heardTopic = 'events are heard'

export function busWith({ siblings = noSiblings, most = 20_000, collectFor = 20 }: BusOptions = {}): Bus {
  const epoch = crypto.randomUUID().slice(0, 13).replace('-', '')
  /** The last news, oldest first. Of those with a key only the last is kept, in the place of the last. */
  const ring = new Map<string | number, Numbered>()
  /** All news up to this number are forgotten. */
  let forgotten = 0
  let last = 0
  let weight = 0
  let take: ((news: Numbered) => void) | undefined
  let heardElsewhereUntil = 0
  let outgoing: News[] = []
  let sending: NodeJS.Timeout | undefined
  let saying: NodeJS.Timeout | undefined

  function record(news: News): void {
    if (take === undefined) return
    last += 1
    const numbered = { number: last, news }
    const key = keyOf(news) ?? last
    drop(key)
    ring.set(key, numbered)
    weight += weightOf(news)
    for (const [oldest, { number }] of ring) {
      if (weight <= most) break
      drop(oldest)
      forgotten = number
    }
    try {
      take(numbered)
    } catch {
      // What has happened has happened, whether or not it could be told.
    }
  }

  function drop(key: string | number): void {
    const known = ring.get(key)
    if (known === undefined) return
    ring.delete(key)
    weight -= weightOf(known.news)
  }

  function send(): void {
    sending = undefined
    const told = outgoing
    outgoing = []
    void siblings.tell(newsTopic, told)
  }

  /** No id of before can be continued. */
  function forgetAll(): void {
    ring.clear()
    weight = 0
    last += 1
    forgotten = last
  }

  siblings.answer(newsTopic, (told) => {
    for (const news of told as News[]) record(news)
  })
  siblings.answer(heardTopic, (isHeard) => {
    if (isHeard === true) heardElsewhereUntil = performance.now() + heardFor
    return take !== undefined
  })
  if (siblings !== noSiblings)
    void siblings.ask(heardTopic, false).then(
      (answers) => {
        if (answers.includes(true)) heardElsewhereUntil = performance.now() + heardFor
      },
      () => {},
    )

  return {
    publish(news) {
      record(news)
      if (performance.now() >= heardElsewhereUntil) return
      outgoing.push(news)
      sending ??= setTimeout(send, collectFor).unref()
    },
    publishHere: record,
    get isHeard() {
      return take !== undefined || performance.now() < heardElsewhereUntil
    },
    get last() {
      return last
    },
    mark() {
      last += 1
      return last
    },
    idOf: (number) => `${epoch}-${number}`,
    numberIn(id) {
      const [, of, number] = /^(\w+)-(\d{1,15})$/.exec(id) ?? []
      return of === epoch ? Number(number) : undefined
    },
    since(id) {
      const number = this.numberIn(id)
      if (number === undefined || number < forgotten || number > last) return undefined
      return [...ring.values()].filter((numbered) => numbered.number > number)
    },
    async hear(listener) {
      take = listener
      if (siblings === noSiblings) return
      saying ??= setInterval(() => void siblings.tell(heardTopic, true), heardFor / 2).unref()
      await siblings.ask(heardTopic, true).catch(() => {})
    },
    ignore() {
      take = undefined
      clearInterval(saying)
      saying = undefined
      // What happens from now on is not remembered.
      forgetAll()
    },
    onMissed: (handler) =>
      siblings.onMissed(() => {
        forgetAll()
        handler()
      }),
    close() {
      clearInterval(saying)
      clearTimeout(sending)
      take = undefined
    },
  }
}
