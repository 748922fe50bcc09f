import { beforeEach, expect, test } from 'bun:test'
import type { OnConflict } from '@filestead/contract'
import type { Entry } from '../../server/queries/resources.ts'

let answers: Response[] = []
let asked: string[] = []
Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  fetch: async (address: string, { method }: RequestInit) => {
    asked.push(`${method} ${address.split('?')[0]}`)
    return answers.shift() ?? new Response('')
  },
})
const { ApiError } = await import('../../server/client.ts')
const { sendItem } = await import('./send-item.ts')

const entryOf = (path: string, { isDir = false, size = 3 } = {}): Entry => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  size,
  extension: '',
  modified: '2026-01-01T00:00:00Z',
  mode: 0o644,
  isDir,
  isSymlink: false,
  type: '',
})

const lost = new ApiError(0, '000 No connection')
const signal = new AbortController().signal
const refusal = (status: number, code: string) => Response.json({ code, message: code }, { status })
const taken = () => refusal(409, 'already-exists')
const gone = () => refusal(404, 'not-found')

function again(action: 'copy' | 'rename', { isDir = false, onConflict = 'fail' as OnConflict } = {}) {
  const entry = entryOf('/a', { isDir })
  return sendItem(action, { name: 'a', entry, to: '/Box/a', onConflict }, signal, lost)
}

beforeEach(() => {
  answers = []
  asked = []
})

test('a second try that finds nothing of the first is like a first one', async () => {
  expect(await again('copy')).toBe('/Box/a')
  expect(asked).toEqual(['PATCH /api/resources/a'])
})

test('a move that was made counts as made, and one whose entry is nowhere does not', async () => {
  answers = [gone(), Response.json([entryOf('/Box/a')])]
  expect(await again('rename')).toBe('/Box/a')
  answers = [gone(), Response.json([entryOf('/Box/a', { isDir: true })])]
  expect(await again('rename', { isDir: true })).toBe('/Box/a')
  answers = [gone(), Response.json([])]
  await expect(again('rename')).rejects.toMatchObject({ code: 'not-found' })
})

test('a copy that was made counts as made, but not another file and not a folder, which may be a part', async () => {
  answers = [taken(), Response.json([entryOf('/Box/a')])]
  expect(await again('copy')).toBe('/Box/a')
  answers = [taken(), Response.json([entryOf('/Box/a', { size: 1 })])]
  await expect(again('copy')).rejects.toMatchObject({ code: 'already-exists' })
  answers = [taken(), Response.json([entryOf('/Box/a', { isDir: true })])]
  await expect(again('copy', { isDir: true })).rejects.toMatchObject({ code: 'already-exists' })
})

test('what was to get a free name is not sent again', async () => {
  await expect(again('copy', { onConflict: 'rename' })).rejects.toBe(lost)
  await expect(again('rename', { onConflict: 'rename' })).rejects.toBe(lost)
  expect(asked).toEqual([])
})

test('a first try that is refused asks nothing else', async () => {
  answers = [gone()]
  const first = sendItem('rename', { name: 'a', entry: entryOf('/a'), to: '/Box/a', onConflict: 'fail' }, signal, null)
  await expect(first).rejects.toMatchObject({ code: 'not-found' })
  expect(asked).toEqual(['PATCH /api/resources/a'])
})
