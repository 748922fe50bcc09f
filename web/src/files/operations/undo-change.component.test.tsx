import { afterAll, beforeEach, expect, test } from 'bun:test'
import '../../component-dom.ts'
import type { Job, Operation } from '@filestead/contract'
import '../../i18n/i18n.ts'
import { currentLocation, goTo } from '../../navigation/location.ts'
import { lastChange, rememberChange } from '../../server/operations/undo-stack.ts'
import { endScope } from '../../state/session-scope.ts'
import { shownToasts } from '../../ui/toasts.ts'
import { enterFile } from '../../workspace/workspace.ts'
import { underWay } from './under-way.ts'
import { undoLast } from './undo-change.ts'

const facts = { kind: 'move', names: ['a.txt'], gone: ['/a.txt'], put: ['/Box/a.txt'] } as const

/** The operations that the server was asked to take back, and what it answers to each. */
let undone: string[] = []
let refusal: Record<string, unknown> | null = null
let operations: Operation[] = []

const before = globalThis.fetch
globalThis.fetch = Object.assign(
  async (address: unknown, init?: RequestInit) => {
    const path = new URL(String(address), 'http://server').pathname
    if (path.endsWith('/api/operations')) return Response.json(operations)
    if (!path.endsWith('/api/jobs') || init?.method !== 'POST') return Response.json([])
    const { operation } = JSON.parse(String(init.body))
    undone.push(operation)
    return refusal === null ? Response.json(doneJob(`undo-of-${operation}`)) : Response.json(refusal, { status: 412 })
  },
  { preconnect: () => {} },
)
afterAll(() => {
  globalThis.fetch = before
})

const doneJob = (id: string): Job => ({
  id,
  kind: 'undo',
  state: 'done',
  names: ['a.txt'],
  count: 1,
  finished: 1,
  done: { files: 1, bytes: 0 },
  failures: [],
  conflicts: [],
  renamed: [],
  skipped: 0,
  createdAt: 1,
})

beforeEach(() => {
  endScope('cut-off')
  undone = []
  refusal = null
  operations = []
})

const texts = () => shownToasts().map(({ text }) => text)

test('all jobs of one act are taken back, the last first, and Redo takes the undoing back', async () => {
  rememberChange({ ...facts, batches: ['1', '2'] })
  await undoLast('undo')
  expect(undone).toEqual(['2', '1'])
  expect([lastChange(), lastChange('redo')?.batches]).toEqual([undefined, ['undo-of-2', 'undo-of-1']])
  expect(lastChange('redo')).toMatchObject({ gone: ['/Box/a.txt'], put: ['/a.txt'] })

  undone = []
  await undoLast('redo')
  expect(undone).toEqual(['undo-of-1', 'undo-of-2'])
  expect([lastChange()?.put, lastChange('redo')]).toEqual([['/Box/a.txt'], undefined])
})

test('what is still going on is waited for, and then undone', async () => {
  rememberChange({ ...facts, batches: ['1'] })
  const { promise, resolve } = Promise.withResolvers<void>()
  void underWay(async () => {
    await promise
    rememberChange({ ...facts, batches: ['2'] })
  })
  const undoing = undoLast('undo')
  await Bun.sleep(0)
  expect([undone, texts()]).toEqual([[], ['Undone as soon as it is finished']])
  resolve()
  await undoing
  expect(undone).toEqual(['2'])
})

test('where what was going on comes to nothing, the change before it stays', async () => {
  rememberChange({ ...facts, batches: ['1'] })
  const { promise, reject } = Promise.withResolvers<void>()
  void underWay(() => promise).catch(() => {})
  const undoing = undoLast('undo')
  await Bun.sleep(0)
  reject(new Error('refused'))
  await undoing
  expect([undone, lastChange()?.batches]).toEqual([[], ['1']])
})

test('a change that was made after something long began is undone at once', async () => {
  void underWay(() => new Promise(() => {}))
  rememberChange({ ...facts, batches: ['1'] })
  await undoLast('undo')
  expect(undone).toEqual(['1'])
})

test('a refusal is told in the words of the server, and not tried again by the next undo', async () => {
  rememberChange({ ...facts, batches: ['1'] })
  rememberChange({ ...facts, batches: ['2'] })
  refusal = { code: 'changed-meanwhile', message: 'a.txt was changed since, so it stays as it is' }
  await undoLast('undo')
  expect(texts().join()).toContain('a.txt was changed since, so it stays as it is')
  expect([lastChange()?.batches, lastChange('redo')]).toEqual([['1'], undefined])
})

test('a refusal whose reason is a word is told in the language of the page', async () => {
  rememberChange({ ...facts, batches: ['1'] })
  rememberChange({ ...facts, batches: ['2'] })
  refusal = { code: 'changed-meanwhile', message: 'a sentence', reason: 'too-old' }
  await undoLast('undo')
  expect(texts().join()).toContain('It is too long ago.')
  refusal = { code: 'changed-meanwhile', message: 'a sentence', reason: 'taken', name: 'a.txt' }
  await undoLast('undo')
  expect(texts().join()).toContain('Something else is called a.txt now.')
})

test('the file in view follows an undone rename, and stays where the server refuses', async () => {
  const shown = { path: '/b.txt', name: 'b.txt', size: 1, extension: '.txt', modified: '', mode: 0 }
  goTo('/files/b.txt')
  enterFile('preview', '/', { ...shown, isDir: false, isSymlink: false, type: 'text' })
  const renamed = { kind: 'rename', names: ['a.txt'], gone: ['/a.txt'], put: ['/b.txt'] } as const
  rememberChange({ ...renamed, batches: ['1'] })
  rememberChange({ ...renamed, batches: ['2'] })
  refusal = { code: 'changed-meanwhile', message: 'Something else is called a.txt now' }
  await undoLast('undo')
  expect(currentLocation().pathname).toBe('/files/b.txt')
  refusal = null
  await undoLast('undo')
  expect(currentLocation().pathname).toBe('/files/a.txt')
})

test('without a memory of its own a tab takes back what the server lists last and can take back', async () => {
  const listed = { names: ['a.txt'], count: 1, at: 1, canUndo: true }
  operations = [
    { ...listed, id: 'undo-of-3', kind: 'undo', undid: 'move' },
    { ...listed, id: '3', kind: 'move', canUndo: false, why: 'undone' },
    { ...listed, id: '2', kind: 'remove' },
  ]
  await undoLast('undo')
  expect(undone).toEqual(['2'])
  expect(texts().join()).toContain('Restored a.txt')

  endScope('cut-off')
  await undoLast('redo')
  expect(undone).toEqual(['2', 'undo-of-3'])
})

test('where there is nothing to take back, that is said', async () => {
  await undoLast('undo')
  await undoLast('redo')
  expect([undone, texts()]).toEqual([[], ['Nothing to undo', 'Nothing to redo']])
})
