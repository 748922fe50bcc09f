import { beforeEach, expect, test } from 'bun:test'
import { nameOf } from '@filestead/contract'

/** How many characters a fake storage holds. */
let room = Number.POSITIVE_INFINITY
/** Its keys are its own properties, as with a Storage. */
const storageOver = (held: Map<string, string>) =>
  new Proxy(
    {
      getItem: (key: string) => held.get(key) ?? null,
      setItem(key: string, value: string) {
        if (value.length > room) throw new DOMException('full', 'QuotaExceededError')
        held.set(key, value)
      },
      removeItem: (key: string) => void held.delete(key),
    },
    { ownKeys: () => [...held.keys()], getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }) },
  )
const local = new Map<string, string>()
const ofTab = new Map<string, string>()
Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: storageOver(local),
  sessionStorage: storageOver(ofTab),
})
const { endScope } = await import('../state/session-scope.ts')
const { findText, forgetOwnText, forgetStaleTexts, forgetTextsOf, keepText, keptTexts, moveTexts, onSessionEnd } =
  await import('./unsaved-text.ts')

const textOf = (path: string, line: string, userId = 1) => ({
  userId,
  path,
  address: `/files${path}`,
  version: '"v1"',
  lines: [line],
})
const pathsOf = (userId: number) => keptTexts(userId).map(({ path }) => path)

function beAnotherTab(): void {
  ofTab.set('filestead.my.tab', String(Math.random()))
}

beforeEach(() => {
  room = Number.POSITIVE_INFINITY
  for (const userId of [1, 2]) forgetTextsOf(pathsOf(userId))
  local.clear()
  ofTab.clear()
})

test('texts of several files are kept, and each is found with the version it came from', () => {
  keepText(textOf('/a.txt', 'one'))
  keepText(textOf('/b.txt', 'two'))
  keepText(textOf('/a.txt', 'one, changed'))
  expect(pathsOf(1).toSorted()).toEqual(['/a.txt', '/b.txt'])
  expect(findText(1, '/a.txt')).toMatchObject({ lines: ['one, changed'], version: '"v1"', isOwn: true })
  expect(findText(1, '/c.txt')).toBeNull()
})

test('two tabs keep a text each of one file, and saving in one leaves that of the other', () => {
  keepText(textOf('/a.txt', 'of the first tab'))
  beAnotherTab()
  expect(findText(1, '/a.txt')).toMatchObject({ lines: ['of the first tab'], isOwn: false })
  keepText(textOf('/a.txt', 'of the second tab'))
  expect(findText(1, '/a.txt')).toMatchObject({ lines: ['of the second tab'], isOwn: true })
  forgetOwnText('/a.txt')
  expect(findText(1, '/a.txt')).toMatchObject({ lines: ['of the first tab'], isOwn: false })
})

test('a text is shown to no other user, and removed when another one is there', () => {
  keepText(textOf('/a.txt', 'secret'))
  expect([pathsOf(2), findText(2, '/a.txt')]).toEqual([[], null])
  forgetStaleTexts(2)
  expect(JSON.stringify([...local])).not.toContain('secret')
  expect(pathsOf(1)).toEqual([])
})

test('a deleted folder takes the texts of its files along, and only those', () => {
  for (const path of ['/box/a.txt', '/box/inner/b.txt', '/boxes.txt']) keepText(textOf(path, 'secret'))
  forgetTextsOf(['/box'])
  expect(pathsOf(1)).toEqual(['/boxes.txt'])
  forgetTextsOf(['/boxes.txt'])
  expect([...local.keys()]).toEqual([])
})

test('a renamed file and a moved folder take their texts along, of all tabs, and only those', () => {
  for (const path of ['/a.txt', '/box/b.txt', '/box/inner/c #.txt', '/boxes.txt'])
    keepText(textOf(path, `of ${nameOf(path)}`))
  beAnotherTab()
  keepText({ ...textOf('/a.txt', 'of the second tab'), address: '/files/a.txt?edit=true' })
  const before = keptTexts(1).map(({ at }) => at)
  moveTexts([
    { from: '/a.txt', to: '/new.csv' },
    { from: '/box', to: '/other/crate' },
  ])
  expect(pathsOf(1).toSorted()).toEqual([
    '/boxes.txt',
    '/new.csv',
    '/new.csv',
    '/other/crate/b.txt',
    '/other/crate/inner/c #.txt',
  ])
  expect(findText(1, '/new.csv')).toMatchObject({
    lines: ['of the second tab'],
    isOwn: true,
    address: '/files/new.csv?edit=true',
    version: '"v1"',
  })
  expect(findText(1, '/other/crate/inner/c #.txt')?.address).toBe('/files/other/crate/inner/c%20%23.txt')
  expect(keptTexts(1).map(({ at }) => at)).toEqual(before)
  expect(JSON.stringify([...local])).not.toContain('/box/')
})

test('a text that is in memory only is moved there, and over a text that was kept of the new path', () => {
  keepText(textOf('/b.txt', 'old'))
  room = 400
  const long = 'x'.repeat(500)
  keepText(textOf('/a.txt', long))
  moveTexts([{ from: '/a.txt', to: '/b.txt' }])
  expect([pathsOf(1), findText(1, '/b.txt')?.lines]).toEqual([['/b.txt'], [long]])
})

test('without room in the storage a text is kept in memory, over an older state of it', () => {
  keepText(textOf('/a.txt', 'short'))
  room = 0
  keepText(textOf('/a.txt', 'a longer text'))
  keepText(textOf('/b.txt', 'another'))
  expect(findText(1, '/a.txt')?.lines).toEqual(['a longer text'])
  expect(pathsOf(1).toSorted()).toEqual(['/a.txt', '/b.txt'])
  room = Number.POSITIVE_INFINITY
  forgetOwnText('/a.txt')
  expect(pathsOf(1)).toEqual(['/b.txt'])
})

test('a text that is too long for the storage stays in memory', () => {
  keepText(textOf('/large.txt', 'x'.repeat(2_000_000)))
  expect(findText(1, '/large.txt')?.lines[0]?.length).toBe(2_000_000)
  expect([...local.keys()]).toEqual([])
})

test('a text is removed after a month', () => {
  keepText(textOf('/a.txt', 'old'))
  const index = local.get('filestead.my.unsaved-texts') ?? ''
  local.set('filestead.my.unsaved-texts', index.replace(/"at":\d+/, `"at":${Date.now() - 31 * 86_400_000}`))
  forgetStaleTexts(1)
  expect([...local.keys()]).toEqual([])
})

test('the end of a session is told once, with how it ended, to those that still listen', () => {
  const heard: string[] = []
  onSessionEnd((ending) => heard.push(`first ${ending}`))
  onSessionEnd((ending) => heard.push(`second ${ending}`))()
  endScope('cut-off')
  endScope('signed-out')
  expect(heard).toEqual(['first cut-off'])
})
