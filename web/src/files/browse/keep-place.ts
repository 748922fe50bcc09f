import { cache } from '../../server/queries/cache.ts'
import { type Folder, resourceKey } from '../../server/queries/resources.ts'

/** Rows that come or go above those in view do not move them. At the top of the listing, what comes shows. */
export function keepPlace(path: string, signal: AbortSignal): void {
  const listed = () => cache().getQueryData<Folder>(resourceKey(path))
  let shown = listed()
  /** The entry that stays where it is until the person scrolls: tiles move on line by line, and would be lost step by step. */
  let anchor: { name: string; scrollTop: number } | null = null

  /** Called before anything is drawn anew. */
  function onChange() {
    const next = listed()
    if (next === shown) return
    const before = shown
    shown = next
    const isSameOrder = JSON.stringify(next?.sorting) === JSON.stringify(before?.sorting)
    const scroller = document.getElementById('listing')?.parentElement
    if (before === undefined || next === undefined || !isSameOrder || !scroller || scroller.scrollTop === 0) return
    const rows = rowsInView(scroller)
    const isKept = anchor?.scrollTop === scroller.scrollTop && rows.some(({ name }) => name === anchor?.name)
    const name = isKept ? anchor?.name : rows[0]?.name
    const { scrollTop } = scroller
    whenDrawn(scroller, signal, () => {
      if (isScrolled(scroller, scrollTop)) return
      const moves = movesByIndex(rows, before, next) ?? movesOnScreen(rows, scroller)
      scroller.scrollTop += distance(moves, name, scroller.clientHeight)
      anchor = name === undefined ? null : { name, scrollTop: scroller.scrollTop }
    })
  }

  signal.addEventListener('abort', cache().getQueryCache().subscribe(onChange))
}

/** Rows that are drawn because the person scrolls have not moved. A listing that is shorter now was scrolled to its end by itself. */
const isScrolled = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement, before: number): boolean =>
  Math.abs(scrollTop - Math.min(before, scrollHeight - clientHeight)) > 1

/** How far the rows in view have moved: the anchor, unless that has gone elsewhere by itself, because it has changed. */
function distance(moves: ReadonlyMap<string, number>, anchor: string | undefined, height: number): number {
  const middle = [...moves.values()].sort((a, b) => a - b)[moves.size >> 1] ?? 0
  const own = moves.get(anchor ?? '')
  return own !== undefined && Math.abs(own - middle) < height ? own : middle
}

interface ShownRow {
  name: string
  index: number
  top: number
  height: number
}

function rowsOf(scroller: HTMLElement): ShownRow[] {
  return [...scroller.querySelectorAll<HTMLElement>('[role=row][data-index]')].map((row) => {
    const { top, height } = row.getBoundingClientRect()
    return { name: row.getAttribute('aria-label') ?? '', index: Number(row.dataset.index), top, height }
  })
}

function rowsInView(scroller: HTMLElement): ShownRow[] {
  const { top, bottom } = scroller.getBoundingClientRect()
  return rowsOf(scroller).filter((row) => row.top >= top && row.top < bottom)
}

/** In a list all rows have one height, and where each will be is known, however far that is. */
function movesByIndex(rows: readonly ShownRow[], before: Folder, next: Folder): Map<string, number> | null {
  const isList = document.querySelector('#listing[data-view-mode=list]') !== null
  // Entries may be shown in another order than the server lists them in.
  if (!isList || rows.some(({ name, index }) => before.items[index]?.name !== name)) return null
  const sought = new Map(rows.map((row) => [row.name, row]))
  const moves = new Map<string, number>()
  for (const [index, { name }] of next.items.entries()) {
    const row = sought.get(name)
    if (row !== undefined) moves.set(name, (index - row.index) * row.height)
  }
  return moves
}

/** Of those that are still drawn. */
function movesOnScreen(rows: readonly ShownRow[], scroller: HTMLElement): Map<string, number> {
  const tops = new Map(rows.map(({ name, top }) => [name, top]))
  return new Map(
    rowsOf(scroller).flatMap(({ name, top }): [string, number][] => {
      const before = tops.get(name)
      return before === undefined ? [] : [[name, top - before]]
    }),
  )
}

/** Runs after the next change of the rows, before the browser paints it. */
function whenDrawn(scroller: HTMLElement, signal: AbortSignal, run: () => void): void {
  const observer = new MutationObserver(() => {
    stop()
    run()
  })
  const timer = setTimeout(() => observer.disconnect(), 1000)
  function stop() {
    clearTimeout(timer)
    observer.disconnect()
  }
  signal.addEventListener('abort', stop)
  observer.observe(scroller, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['style', 'data-index', 'aria-rowcount'],
  })
}
