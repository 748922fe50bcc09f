import type { Kysely } from 'kysely'
import { type Clock, systemClock } from '../clock.ts'
import { coalesce } from '../concurrency/coalesce.ts'
import { deadline } from '../concurrency/deadline.ts'
import { lastNumber } from '../database/counters.ts'
import type { Doorbell } from '../database/port.ts'
import type { Database, MessageRow } from '../database/schema.ts'
import type { Node } from './node.ts'
import type { Siblings } from './siblings.ts'
import { deleteMessagesTo, insertMessages, messagesAfter } from './store.ts'

/**
 * What nodes on one PostgreSQL say to each other: rows, and a doorbell that says there are some. What is told is one row,
 * however many nodes there are. A question is one row, and each node that is asked answers with one; it costs nothing where
 * there is no other node. All processes of a machine are nodes, too, so that nothing is asked in two ways.
 */
export interface Messages extends Siblings {
  /** Has the other nodes know of this one. From now on it hears what they say. Once is enough. */
  join(): Promise<void>
  /** Has all those who listen know that something may be missing. */
  missed(): void
  /** Removes what every node has read, or is taken for dead. Called every minute, by one node. */
  sweep(): Promise<void>
  /** The others need not wait until its lease ends. */
  leave(): Promise<void>
}

export interface MessageOptions {
  readonly db: Kysely<Database>
  readonly bell: Doorbell
  readonly node: Pick<Node, 'id' | 'others' | 'refresh'>
  readonly clock?: Clock
  /** In milliseconds: how long a question waits for answers. */
  readonly patience?: number
  /** In milliseconds: rows are looked for without a ring, too, which may be lost. */
  readonly pollEvery?: number
}

/** The text of a row. An answer has the number of the question. */
interface Body {
  readonly number?: number
  readonly value?: unknown
}

interface Question {
  readonly answers: unknown[]
  /** The nodes that have not answered yet. */
  readonly missing: Set<string>
  /** Those that have said anything since. One that begins has not heard the question, and is awake. */
  readonly heard: Set<string>
  readonly answered: PromiseWithResolvers<void>
}

type Outgoing = Pick<MessageRow, 'topic' | 'receiver' | 'answers'> & { body: Body }

const most = 500
const [joined, left] = ['node joined', 'node left']

export function messagesIn(options: MessageOptions): Messages {
  const { db, bell, node, clock = systemClock, patience = 1000, pollEvery = 5000 } = options
  const handlers = new Map<string, (value: unknown) => unknown>()
  const missedHandlers: (() => void)[] = []
  const questions = new Map<number, Question>()
  /** Nodes that did not answer in time: they are asked, and not waited for until they say something. */
  const silent = new Set<string>()
  let outgoing: Outgoing[] = []
  let asked = 0
  /** Of the rows that were read; undefined before this node has joined. */
  let last: number | undefined
  let sweptTo = 0
  let polling: NodeJS.Timeout | undefined
  let ignore = () => {}

  /** What comes while a transaction is under way goes together in the next. */
  const sendAll = coalesce(async () => {
    const rows = outgoing
    outgoing = []
    if (rows.length === 0) return
    const at = clock.unixSeconds()
    await insertMessages(
      db,
      rows.map(({ body, ...row }) => ({ ...row, body: JSON.stringify(body), sender: node.id, at })),
    )
    await bell.ring()
  })

  /** False where the database takes no rows now. */
  function send(row: Outgoing): Promise<boolean> {
    outgoing.push(row)
    return sendAll().then(
      () => true,
      () => false,
    )
  }

  const read = coalesce(async () => {
    if (last === undefined) return
    for (let isMore = true; isMore; ) {
      const rows = await messagesAfter(db, last, node.id, most)
      for (const row of rows) {
        // The numbers have no gaps: what is between was removed before it was read here.
        if (row.id !== last + 1) missed()
        last = row.id
        if (row.body !== null) await take(row, JSON.parse(row.body))
      }
      isMore = rows.length === most
    }
  })

  const readQuietly = (): void => void read().catch(() => {})

  function missed(): void {
    for (const handler of missedHandlers) handler()
  }

  async function take(row: Pick<MessageRow, 'id' | 'sender' | 'topic' | 'answers'>, body: Body): Promise<void> {
    silent.delete(row.sender)
    for (const question of questions.values()) question.heard.add(row.sender)
    if (row.answers !== null) return takeAnswer(row.sender, body)
    if (row.topic === left || !node.others().includes(row.sender)) await node.refresh().catch(() => {})
    if (body.number === undefined) void outcomeOf(row.topic, body.value)
    else void answer(row, body)
  }

  function takeAnswer(sender: string, { number = 0, value }: Body): void {
    const question = questions.get(number)
    if (!question?.missing.delete(sender)) return
    if (value !== undefined && value !== null) question.answers.push(value)
    if (question.missing.size === 0) question.answered.resolve()
  }

  async function answer({ id, sender, topic }: Pick<MessageRow, 'id' | 'sender' | 'topic'>, body: Body): Promise<void> {
    const value = await outcomeOf(topic, body.value)
    await send({ topic, receiver: sender, answers: id, body: { ...body, value } })
  }

  async function outcomeOf(topic: string, value: unknown): Promise<unknown> {
    try {
      return await handlers.get(topic)?.(value)
    } catch {
      return undefined
    }
  }

  async function ask(topic: string, value: unknown, of?: string): Promise<unknown[]> {
    const others = node.others().filter((id) => of === undefined || id === of)
    if (others.length === 0 || last === undefined) return []
    asked += 1
    const number = asked
    const missing = new Set(of === undefined ? others.filter((id) => !silent.has(id)) : others)
    const question: Question = { answers: [], missing, heard: new Set(), answered: Promise.withResolvers() }
    questions.set(number, question)
    try {
      const isSent = await send({ topic, receiver: of ?? null, answers: null, body: { number, value } })
      if (isSent && missing.size > 0) await deadline(question.answered.promise, patience, undefined)
      if (isSent) for (const id of missing) if (!question.heard.has(id)) silent.add(id)
    } finally {
      questions.delete(number)
    }
    return question.answers
  }

  return {
    ask,
    async tell(topic, value) {
      if (node.others().length > 0) await send({ topic, receiver: null, answers: null, body: { value } })
    },
    answer: (topic, handler) => void handlers.set(topic, handler),
    onMissed: (handler) => void missedHandlers.push(handler),
    missed,
    async join() {
      if (last !== undefined) return
      await node.refresh()
      last = await lastNumber(db, 'message')
      ignore = bell.onRing(readQuietly)
      polling = setInterval(() => {
        if (node.others().length > 0) readQuietly()
      }, pollEvery).unref()
      await ask(joined, null)
    },
    async sweep() {
      // What was read a minute ago was read by all others, too, but for those that are as good as dead.
      await deleteMessagesTo(db, sweptTo)
      sweptTo = last ?? 0
    },
    async leave() {
      clearInterval(polling)
      ignore()
      if (last !== undefined && node.others().length > 0)
        await send({ topic: left, receiver: null, answers: null, body: {} })
      last = undefined
    },
  }
}
