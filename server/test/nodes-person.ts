import { createHash } from 'node:crypto'
import { isOver, type Job } from '@filestead/contract'
import { openEvents } from './event-stream.ts'
import type { Kills } from './nodes-kills.ts'
import type { Random } from './random-changes.ts'
import type { Ask } from './server.ts'

/** What somebody does who goes on working while servers die: sends again what may be sent again, and notes what is wrong. */
export interface Person {
  readonly name: string
  readonly random: Random
  /** Undefined where the answer did not come: it was done, or it was not. */
  attempt(path: string, init?: RequestInit): Promise<Response | undefined>
  /** Asks until there is an answer, which a request allows that changes nothing. */
  read(path: string, init?: RequestInit): Promise<Response>
  /** Begins it, and waits for its end. */
  job(request: object): Promise<Job>
  /** Waits until the page that is open on the folder was told of this name, or has been told to load anew. */
  told(name: string, since: number): Promise<void>
  /** Notes what must not happen. */
  report(problem: string): void
  leave(): Promise<void>
}

interface Surroundings {
  readonly name: string
  readonly ask: Ask
  readonly random: Random
  readonly kills: Kills
  readonly folder: string
  readonly report: (problem: string) => void
}

/** In milliseconds: on a busy machine a server takes long to start, and a job is begun again after each kill. */
const patience = 300_000
const longestGap = 30_000
const unanswered = [502, 503, 504]

export function personWith({ name, ask, random, kills, folder, report: note }: Surroundings): Person {
  const report = (problem: string) => note(`${name}: ${problem}`)
  const events = keepListening(ask, folder)

  async function attempt(path: string, init: RequestInit = {}): Promise<Response | undefined> {
    const shown = `${init.method ?? 'GET'} ${path}`
    try {
      const answer = await ask(path, init)
      if (answer.status === 401) report(`${shown} was refused: signed out`)
      if (answer.status === 500) report(`${shown} answered 500: ${await answer.clone().text()}`)
      return unanswered.includes(answer.status) ? undefined : answer
    } catch {
      return undefined
    }
  }

  async function read(path: string, init: RequestInit = {}): Promise<Response> {
    const began = Date.now()
    for (;;) {
      const answer = await ask(path, init).catch(() => undefined)
      if (answer?.status === 401) report(`${path} was refused: signed out`)
      if (answer !== undefined && answer.status < 500) return answer
      // For a moment nginx may find none: the one that is back is on trial while the other is killed.
      if (Date.now() - began > longestGap && kills.wasServed(began)) {
        const said = answer === undefined ? 'nothing' : `${answer.status} ${await answer.text()}`
        throw new Error(`${name}: ${path} was not answered though a server was there: ${said}`)
      }
      await Bun.sleep(50)
    }
  }

  async function job(request: object): Promise<Job> {
    const id = `${name}-${Array.from({ length: 20 }, () => random(16).toString(16)).join('')}`
    const began = Date.now()
    let last: Job | undefined
    for (;;) {
      const headers = { prefer: `wait=${random(3)}`, accept: 'application/json' }
      const answer = await attempt('/api/jobs', { method: 'POST', body: JSON.stringify({ id, ...request }), headers })
      const body = await answer?.text().catch(() => '')
      // What is to be taken back may not be over yet.
      if (answer !== undefined && !answer.ok && !body?.includes('under-way'))
        throw new Error(`${name}: ${JSON.stringify(request)} answered ${answer.status}: ${body}`)
      if (answer?.ok && body) last = JSON.parse(body) as Job
      if (last !== undefined && (isOver(last.state) || last.state === 'asking')) return last
      if (Date.now() - began > patience)
        throw new Error(`${name}: never over: ${JSON.stringify(request)} ${body} ${JSON.stringify(last)}`)
      await Bun.sleep(100)
    }
  }

  return {
    name,
    random,
    attempt,
    read,
    job,
    told: (entry, since) => events.told(entry, since).catch((error) => report(String(error))),
    report,
    leave: events.end,
  }
}

/** A page that stays open on a folder. It opens its stream again whenever that ends. */
function keepListening(ask: Ask, folder: string) {
  const names = new Set<string>()
  let loadedAt = 0
  let isOver = false
  let stream: Awaited<ReturnType<typeof openEvents>> | undefined

  async function listen(): Promise<void> {
    while (!isOver) {
      stream = await openEvents(ask, `?folder=${encodeURIComponent(folder)}`).catch(() => undefined)
      await stream?.until('hello').catch(() => {})
      // What was before is loaded, and not told.
      loadedAt = Date.now()
      let taken = 0
      const ended = stream?.ended.then(() => true) ?? Promise.resolve(true)
      while (!(await Promise.race([ended, Bun.sleep(50)])))
        for (const event of stream?.told.slice(taken) ?? []) {
          taken += 1
          if (event.name === 'folder') for (const { name } of event.data.put) names.add(name)
          if (event.name === 'reset') loadedAt = Date.now()
        }
      await Bun.sleep(50)
    }
  }

  const listening = listen()
  return {
    async told(name: string, since: number): Promise<void> {
      for (const deadline = Date.now() + patience; Date.now() < deadline; await Bun.sleep(20))
        if (names.has(name) || loadedAt > since) return
      throw new Error(`the page on ${folder} was not told of ${name}`)
    },
    async end(): Promise<void> {
      isOver = true
      await stream?.[Symbol.asyncDispose]()
      await listening
    },
  }
}

export const sumOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')
