import { afterEach, expect, test } from 'bun:test'
import '../../component-dom.ts'
import { cache } from '../../server/queries/cache.ts'
import { type Folder, resourceKey } from '../../server/queries/resources.ts'
import { keepPlace } from './keep-place.ts'

const path = '/box/'
const ended = new AbortController()
afterEach(() => {
  ended.abort()
  document.body.replaceChildren()
})

/** Tiles in one column, 100 high, of which the window shows three. */
function draw(names: readonly string[]) {
  document.body.innerHTML = `<div><div id="listing" data-view-mode="mosaic">${names
    .map((name, index) => `<div role="row" data-index="${index}" aria-label="${name}"></div>`)
    .join('')}</div></div>`
  const scroller = document.getElementById('listing')?.parentElement as HTMLElement
  const rows = [...scroller.querySelectorAll<HTMLElement>('[role=row]')]
  Object.defineProperties(scroller, { scrollHeight: { get: () => rows.length * 100 }, clientHeight: { value: 300 } })
  scroller.getBoundingClientRect = () => ({ top: 0, bottom: 300 }) as DOMRect
  for (const row of rows)
    row.getBoundingClientRect = () =>
      ({ top: Number(row.dataset.index) * 100 - scroller.scrollTop, height: 100 }) as DOMRect
  return { scroller, rows }
}

const listed = (names: readonly string[]) =>
  ({ isDir: true, items: names.map((name) => ({ name })), sorting: { by: 'name', asc: false } }) as unknown as Folder

const tell = (names: readonly string[]): void => {
  cache().setQueryData(resourceKey(path), listed(names))
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

test('what comes above does not move the rows in view; a scroll after a listing that changes nothing stays', async () => {
  const { scroller, rows } = draw(names)
  tell(names)
  keepPlace(path, ended.signal)
  scroller.scrollTop = 400
  tell(['0', ...names])
  for (const row of rows) row.dataset.index = String(Number(row.dataset.index) + 1)
  await Bun.sleep(1)
  expect(scroller.scrollTop).toBe(500)

  // Something that is not shown in tiles.
  cache().setQueryData(resourceKey(path), { ...listed(['0', ...names]), numDirs: 1 })
  scroller.scrollTop = 100
  rows[0]?.style.setProperty('top', '0')
  await Bun.sleep(1)
  expect(scroller.scrollTop).toBe(100)
})
