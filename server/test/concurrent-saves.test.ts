import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { linkSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bodyIn, headOf, openLine } from './line.ts'
import { type Program, startProgram } from './process.ts'

let program: Program
beforeAll(async () => {
  program = await startProgram()
}, 120_000)
beforeEach(() => {
  for (const name of readdirSync(program.root)) rmSync(join(program.root, name), { recursive: true })
})
afterAll(() => program?.end())

const writers = [1, 2, 3, 4, 5, 6, 7, 8]
const lines = 50_000
/** A text of a megabyte with its writer in every line. */
const version = (writer: number, round = 0): string => `writer ${writer} round ${round}\n`.repeat(lines)
const statusesOf = (answers: Response[]): number[] => answers.map(({ status }) => status).sort()
const put = (name: string, body: string, headers: Record<string, string> = {}) =>
  program.ask(`/api/resources/${name}`, { method: 'PUT', body, headers })
const post = (name: string, body: string) => program.ask(`/api/resources/${name}`, { method: 'POST', body })
const onDisk = (name: string) => readFileSync(join(program.root, name), 'utf8')
/** The version of a text; a mixture is shown with its start and its length. */
const nameOf = (text: string, length = lines): string => {
  const [first = ''] = text.split('\n', 1)
  return `${first}\n`.repeat(length) === text ? first : `torn: ${first.slice(0, 40)}… (${text.length})`
}

test('one of many saves at once wins completely, and readers see only complete versions', async () => {
  await post('shared.txt', version(0))
  let isOver = false
  const seen = new Map<string, number>()
  const note = (what: string) => void seen.set(what, (seen.get(what) ?? 0) + 1)
  const reading = async (read: () => Promise<string>) => {
    while (!isOver) note(await read())
  }
  const readers = [
    reading(async () => {
      const answer = await program.ask('/api/raw/shared.txt')
      return `${answer.status} ${nameOf(await answer.text())}`
    }),
    reading(async () => {
      const answer = await program.ask('/api/resources/shared.txt')
      return `${answer.status} ${nameOf(((await answer.json()) as { content: string }).content)}`
    }),
  ]
  const rounds: unknown[] = []
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(writers.map((writer) => put('shared.txt', version(writer, round))))
    const winner = nameOf(onDisk('shared.txt'))
    const isOne = writers.some((writer) => winner === `writer ${writer} round ${round}`)
    if (!isOne || answers.some(({ status }) => status !== 200)) rounds.push({ winner, statuses: statusesOf(answers) })
  }
  isOver = true
  await Promise.all(readers)
  expect(rounds).toEqual([])
  expect([...seen.keys()].filter((what) => !/^200 writer \d round \d$/.test(what))).toEqual([])
  expect(seen.size).toBeGreaterThan(1)
}, 120_000)

test('a download started before a save ends with its own version', async () => {
  const [old, newer] = [version(1), version(2)].map((text) => text.repeat(16))
  await post('large.txt', old ?? '')
  const line = await openLine(program.url)
  await line.send(headOf('GET', '/api/raw/large.txt', { 'x-auth': program.token, connection: 'close' }))
  expect(await line.status).toBe(200)
  line.socket.pause()
  expect((await put('large.txt', newer ?? '')).status).toBe(200)
  line.socket.resume()
  expect(bodyIn(await line.received).equals(Buffer.from(old ?? ''))).toBe(true)
})

test('the second of two saves of the same version is refused, and the first stays', async () => {
  await post('page.txt', 'first version')
  const etag = (await program.ask('/api/resources/page.txt')).headers.get('etag') ?? ''
  const [ann, bob] = [version(1), version(2)]
  const answers = await Promise.all([
    put('page.txt', ann, { 'if-match': etag }),
    put('page.txt', bob, { 'if-match': etag }),
  ])
  expect(statusesOf(answers)).toEqual([200, 412])
  expect(nameOf(onDisk('page.txt'))).toBe(nameOf(answers[0].status === 200 ? ann : bob))

  const newer = (await program.ask('/api/resources/page.txt')).headers.get('etag') ?? ''
  expect(newer).toBe(answers.find(({ status }) => status === 200)?.headers.get('etag') ?? 'none')
  expect((await put('page.txt', 'after looking', { 'if-match': newer })).status).toBe(200)
})

test('one of many uploads to one new name gets it, and the others are refused with 409', async () => {
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(writers.map((writer) => post(`new-${round}.txt`, version(writer))))
    expect(statusesOf(answers)).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    const winner = writers[answers.findIndex(({ status }) => status === 200)] ?? 0
    expect(nameOf(onDisk(`new-${round}.txt`))).toBe(nameOf(version(winner)))
  }
})

test('many copies to one name with rename all get a name', async () => {
  for (const writer of writers) await post(`source-${writer}.txt`, version(writer))
  const copying = (writer: number) =>
    program.ask(`/api/resources/source-${writer}.txt?action=copy&destination=/copy.txt&rename=true`, {
      method: 'PATCH',
    })
  const answers = await Promise.all(writers.map(copying))
  expect(statusesOf(answers)).toEqual(writers.map(() => 200))
  const copies = readdirSync(program.root).filter((name) => name.startsWith('copy'))
  expect(copies.sort()).toEqual(['copy(1).txt', ...[2, 3, 4, 5, 6, 7].map((n) => `copy(${n}).txt`), 'copy.txt'])
  expect(copies.map((name) => nameOf(onDisk(name))).sort()).toEqual(writers.map((w) => `writer ${w} round 0`))
})

test('many saves at once of a file with a second hard link do not mix', async () => {
  await post('linked.txt', version(0))
  linkSync(join(program.root, 'linked.txt'), join(program.root, 'linked-too.txt'))
  // Large enough to be written in several steps.
  const answers = await Promise.all(writers.map((writer) => put('linked.txt', version(writer).repeat(5))))
  expect(statusesOf(answers)).toEqual(writers.map(() => 200))
  expect(nameOf(onDisk('linked.txt'), 5 * lines)).toMatch(/^writer [1-8] round 0$/)
  expect(onDisk('linked-too.txt') === onDisk('linked.txt')).toBe(true)
})
