import { afterEach, expect, setSystemTime, test } from 'bun:test'
import type { Resource } from '@filestead/contract'
import { createStore } from '../state/store.ts'

Object.assign(globalThis, { window: new EventTarget() })
const { leaveSharedItem, listedFile, loadSharedItem } = await import('./shared-items.ts')
type Answers = ReturnType<NonNullable<NonNullable<Parameters<typeof loadSharedItem>[1]>['store']>['get']>

const facts = { size: 1, extension: '', modified: '', mode: 0, isDir: false, isSymlink: false } as const
const entry = (name: string): Resource => ({ ...facts, name, path: `/box/${name}`, type: 'image' })
const items = [entry('a.png'), { ...entry('inner'), isDir: true, type: '' as const }]
const sorting = { by: 'name', asc: false } as const
const folder = { ...entry('box'), path: '/box', isDir: true, items, numDirs: 1, numFiles: 1, sorting }
const at = (path: string, password = 'secret', hash = 'hash') => ({ hash, path, password })

const realFetch = globalThis.fetch
afterEach(() => {
  globalThis.fetch = realFetch
  setSystemTime()
})

/** Each request gets the next of these answers: an item, a status, or 'lost' for a connection that breaks. */
function answerWith(...answers: (object | number | 'lost' | 'never')[]): Request[] {
  const asked: Request[] = []
  globalThis.fetch = (async (url: string, init: RequestInit) => {
    asked.push(new Request(new URL(url, 'http://files.test'), init))
    const answer = answers.shift()
    if (answer === 'lost' || answer === undefined) throw new TypeError('Failed to fetch')
    if (answer === 'never')
      return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    return typeof answer === 'number' ? new Response('', { status: answer }) : Response.json(answer)
  }) as typeof fetch
  return asked
}

const newStore = () => createStore<Answers>(new Map())
const latestIn = (store: { get(): Answers }) => [...store.get().values()].at(-1)

test('a file of a listing that is known has the latest token of the link, and its age', async () => {
  const store = newStore()
  expect(listedFile(at('/box/a.png'), store)).toBeUndefined()
  answerWith({ ...folder, token: 'old' }, { ...entry('b.png'), token: 'new' })
  setSystemTime(1000)
  await loadSharedItem(at('/box'), { store })
  setSystemTime(2000)
  await loadSharedItem(at('/box/b.png'), { store })
  expect(listedFile(at('/box/a.png'), store)).toEqual({ item: { ...entry('a.png'), token: 'new' }, time: 2000 })
  expect(listedFile(at('/box/inner'), store)).toBeUndefined()
  expect(listedFile(at('/box/a.png', 'secret', 'other'), store)).toBeUndefined()
  expect(listedFile(at('/box/a.png', ''), store)).toBeUndefined()
})

test('the password goes into a header, encoded', async () => {
  const asked = answerWith(folder, folder)
  await loadSharedItem(at('/box', 'öffne dich'), { store: newStore() })
  await loadSharedItem(at('/box', ''), { store: newStore() })
  expect(asked.map(({ headers }) => headers.get('X-SHARE-PASSWORD'))).toEqual(['%C3%B6ffne%20dich', null])
})

test('a refusal is told at once, and the item that came before it stays', async () => {
  const store = newStore()
  const asked = answerWith(folder, 404)
  await loadSharedItem(at('/box'), { store })
  await loadSharedItem(at('/box'), { store })
  expect(asked).toHaveLength(2)
  expect(latestIn(store)).toMatchObject({ item: folder, error: { status: 404 }, request: null })
})

test('a lost connection is tried again, unless that is not wanted', async () => {
  const asked = answerWith('lost', folder, 'lost')
  const [patient, impatient] = [newStore(), newStore()]
  await loadSharedItem(at('/box'), { store: patient })
  expect(latestIn(patient)).toMatchObject({ item: folder, error: null })
  await loadSharedItem(at('/box'), { store: impatient, retries: 0 })
  expect(latestIn(impatient)).toMatchObject({ item: undefined, error: { status: 0 } })
  expect(asked).toHaveLength(3)
})

test('the same is asked once at a time, and anew after it was left', async () => {
  const store = newStore()
  const asked = answerWith('never', folder)
  const hanging = loadSharedItem(at('/box'), { store })
  await loadSharedItem(at('/box'), { store })
  expect(asked).toHaveLength(1)
  leaveSharedItem(at('/box'), store)
  await Promise.all([loadSharedItem(at('/box'), { store }), hanging])
  expect(latestIn(store)).toMatchObject({ item: folder, error: null, request: null })
})

test('only the latest answers are kept', async () => {
  const store = newStore()
  for (let number = 0; number < 30; number += 1) {
    answerWith(folder)
    await loadSharedItem(at(`/${number}`), { store })
  }
  expect([...store.get().keys()].map((key) => JSON.parse(key).at(-1))).toEqual(
    Array.from({ length: 20 }, (_, index) => `/${index + 10}`),
  )
})
