import type { NamedMediaFacts } from '@filestead/contract'
import type { Entry } from '../../server/queries/resources.ts'
import { perSession } from '../../state/session-scope.ts'
import { type Box, headingHeight, type Layout, layOut, type Measures, nearest } from './layout.ts'

/**
 * Pictures in rows of equal height that fill the width. Their shapes are asked for by name, a part of the folder at a
 * time, when it comes near; each part has rows of its own. So what becomes known of one part moves another part as a
 * whole, and the rows in view stay as they are.
 */
export const partLength = 96

/** Asks for the shapes of these entries of the folder. What it leaves out has none. */
export type AskMedia = (names: readonly string[], signal: AbortSignal) => Promise<readonly NamedMediaFacts[]>

/** As far as it matters for the layout. */
interface Shape {
  ratio: number
  duration: number | undefined
}

/** What was told of a version of a file; null for one without a shape. A gallery that is seen again looks as before. */
const shapes = perSession(() => new Map<string, Shape | null>())
const mostShapes = 50_000
const keyOf = ({ path, modified, size }: Entry): string => `${path}\n${modified} ${size}`

function note(entry: Entry, shape: Shape | null): void {
  const known = shapes()
  const [oldest] = known.keys()
  if (known.size >= mostShapes && oldest !== undefined) known.delete(oldest)
  known.set(keyOf(entry), shape)
}

/** An empty file has no shape. */
const mayHaveShape = ({ type, size }: Entry): boolean => size > 0 && (type === 'image' || type === 'video')

const isUnknown = (entry: Entry): boolean => mayHaveShape(entry) && !shapes().has(keyOf(entry))

export interface Gallery {
  /** For the parts that these entries are in, and the one behind them. */
  want(files: readonly Entry[], first: number, last: number): void
  stop(): void
}

/** Asks for shapes, one part after the other, and tells when there are new ones. */
export function openGallery(ask: AskMedia, onNews: () => void): Gallery {
  const control = new AbortController()
  const known = shapes()
  let wanted: Entry[][] = []
  let isAsking = false
  /** Not told because of a failure: they have a usual shape for now, and are asked for again in the next gallery. */
  const untold: Entry[] = []
  const askFor = (missing: readonly Entry[]) =>
    ask(
      missing.map(({ name }) => name),
      control.signal,
    ).catch((): NamedMediaFacts[] => {
      for (const entry of missing) untold.push(entry)
      return []
    })

  async function askOn() {
    isAsking = true
    for (let part = wanted.shift(); part !== undefined; part = wanted.shift()) {
      const missing = part.filter(isUnknown)
      if (missing.length === 0) continue
      const found = await askFor(missing)
      // Of another session, or of a folder that was left.
      if (control.signal.aborted || shapes() !== known) return
      const byName = new Map(found.map((facts) => [facts.name, facts]))
      for (const entry of missing) {
        const facts = byName.get(entry.name)
        note(entry, facts === undefined ? null : { ratio: facts.width / facts.height, duration: facts.duration })
      }
      onNews()
    }
    isAsking = false
  }

  return {
    want(files, first, last) {
      wanted = []
      for (let start = first - (first % partLength); start <= last + partLength; start += partLength)
        wanted.push(files.slice(start, start + partLength))
      if (!isAsking) void askOn()
    },
    stop() {
      control.abort()
      for (const entry of untold) known.delete(keyOf(entry))
    },
  }
}

const [narrowest, widest] = [0.45, 4]
const usual: Partial<Record<Entry['type'], number>> = { image: 1.5, video: 16 / 9 }
/** Drawings and pictures that may be transparent are logos, plans and the like: their edges matter. */
const drawings = /\.(png|svg|gif|ico|webp|apng)$/i

/** Below a picture: its name and size. */
const captionHeight = 34

interface Row {
  /** The first file, counted without folders, and the one behind the last. */
  start: number
  end: number
  /** Of its pictures, without the caption. */
  height: number
  top: number
}

/** Folders above, as the other views have them; then the pictures. */
export function layOutGallery(measures: Measures, entries: readonly Entry[]): Layout {
  const { width, folders, files, isNarrow } = measures
  const above = layOut({ ...measures, files: 0 })
  if (width === 0 || files === 0) return above
  const gap = isNarrow ? 2 : 12
  const caption = isNarrow ? 0 : captionHeight
  const room = { width, gap, height: isNarrow ? 128 : Math.min(240, Math.max(140, width / 6)) }
  const shown = entries.slice(folders)
  const ratios = shown.map(ratioOf)
  const top = above.height + headingHeight
  const rows = justify(ratios, room)
  let height = top
  for (const row of rows) {
    row.top = height
    height += row.height + caption + gap
  }
  const firstLine = (folders === 0 ? 0 : above.lineOf(folders - 1) + 1) + 1
  const isPartKnown = parts(shown)

  const rowIndexOf = (file: number) => lastIndex(rows, ({ start }) => start <= file)
  const rowOf = (file: number): Row => rows[rowIndexOf(file)] ?? { start: 0, end: 0, height: 0, top }

  function boxOf(index: number): Box {
    if (index < folders) return above.boxOf(index)
    const file = index - folders
    const row = rowOf(file)
    let x = 0
    for (let at = row.start; at < file; at += 1) x += (ratios[at] ?? 1) * row.height + gap
    return { x, y: row.top, width: (ratios[file] ?? 1) * row.height, height: row.height + caption }
  }

  function touchingFiles(box: Box): [number, number][] {
    const ranges: [number, number][] = []
    const first = lastIndex(rows, (row) => row.top <= box.y)
    for (const { start, end, top: y, height: high } of rows.slice(Math.max(0, first))) {
      if (y > box.y + box.height) break
      if (y + high + caption < box.y) continue
      const isTouched = (file: number) => {
        const { x, width: wide } = boxOf(file + folders)
        return x + wide >= box.x && x <= box.x + box.width
      }
      let [from, to] = [start, end]
      while (from < to && !isTouched(from)) from += 1
      while (to > from && !isTouched(to - 1)) to -= 1
      if (from < to) ranges.push([from + folders, to + folders])
    }
    return ranges
  }

  return {
    count: folders + files,
    height,
    boxOf,
    lineOf: (index) => (index < folders ? above.lineOf(index) : firstLine + rowIndexOf(index - folders)),
    neighbour(index, direction) {
      const { x, width: wide } = boxOf(index)
      const isIn = (row: Row | undefined) => row !== undefined && row.end > row.start
      if (index < folders) {
        const next = above.neighbour(index, direction)
        const [first] = rows
        if (direction === -1 || next !== index || !isIn(first)) return next
        return nearest(boxOf, folders, folders + (first?.end ?? 0), x + wide / 2)
      }
      const at = rowIndexOf(index - folders) + direction
      const row = rows[at]
      if (row !== undefined) return nearest(boxOf, row.start + folders, row.end + folders, x + wide / 2)
      if (direction === 1 || folders === 0) return index
      const line = above.lineOf(folders - 1)
      let start = folders - 1
      while (start > 0 && above.lineOf(start - 1) === line) start -= 1
      return nearest(boxOf, start, folders, x + wide / 2)
    },
    touching: (box) => [...above.touching(box), ...touchingFiles(box)],
    headings: [...above.headings, { group: 'files', top: above.height, count: files }],
    photo(index) {
      const entry = entries[index]
      if (entry === undefined || index < folders) return undefined
      const shape = shapes().get(keyOf(entry))
      const isCut = shape != null && shape.ratio !== ratios[index - folders]
      return {
        isKnown: isPartKnown(index - folders),
        isWhole: isCut || drawings.test(entry.name),
        length: shape?.duration === undefined ? '' : formatLength(shape.duration),
      }
    },
  }
}

/** Other files show the mark of their kind. */
function ratioOf(entry: Entry): number {
  const ratio = shapes().get(keyOf(entry))?.ratio ?? (mayHaveShape(entry) ? (usual[entry.type] ?? 1) : 1)
  return Math.min(widest, Math.max(narrowest, ratio))
}

/**
 * A part of which no shape is known has rows that may change: nothing of it is shown as long as that takes a moment. What is seen
 * stays while further pictures arrive.
 */
function parts(files: readonly Entry[]): (file: number) => boolean {
  const known: (boolean | undefined)[] = []
  return (file) => {
    const part = Math.floor(file / partLength)
    known[part] ??= isSettled(files.slice(part * partLength, (part + 1) * partLength))
    return known[part]
  }
}

const isSettled = (part: readonly Entry[]): boolean =>
  !part.some(isUnknown) || part.some((entry) => shapes().has(keyOf(entry)))

interface Room {
  width: number
  gap: number
  /** The height that rows are close to. */
  height: number
}

/** The rows of all parts. Only the last row of all may end before the edge. */
export function justify(ratios: readonly number[], room: Room): Row[] {
  const count = Math.ceil(ratios.length / partLength)
  return Array.from({ length: count }, (_, part) => part * partLength).flatMap((start) =>
    rowsOf(ratios, start, Math.min(start + partLength, ratios.length), room),
  )
}

/** Breaks a part where the heights of all its rows together differ least from the one wanted. */
function rowsOf(ratios: readonly number[], start: number, end: number, room: Room): Row[] {
  const isLastPart = end === ratios.length
  const best: { cost: number; from: number; height: number }[] = [{ cost: 0, from: start, height: 0 }]
  for (let to = start + 1; to <= end; to += 1) {
    let found = { cost: Number.POSITIVE_INFINITY, from: to - 1, height: room.height }
    let sum = 0
    for (let from = to - 1; from >= start; from -= 1) {
      sum += ratios[from] ?? 1
      const filling = (room.width - room.gap * (to - from - 1)) / sum
      const isEnd = isLastPart && to === end && filling > room.height
      const height = isEnd ? room.height : filling
      const cost = (best[from - start]?.cost ?? 0) + (height / room.height - 1) ** 2
      if (cost < found.cost) found = { cost, from, height }
      if (filling < room.height / 2) break
    }
    best[to - start] = found
  }
  const rows: Row[] = []
  for (let to = end; to > start; ) {
    const { from, height } = best[to - start] ?? { from: start, height: room.height }
    rows.unshift({ start: from, end: to, height, top: 0 })
    to = from
  }
  return rows
}

/** The last of sorted items for which it holds; -1 for none. */
function lastIndex<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && holds(item)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** 34 seconds as 0:34, more than an hour as 1:02:05. */
export function formatLength(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const rest = String(whole % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`
}

/** Keeps what is at the upper edge where it is, when other rows above it have become known. */
export function keepInView(scroller: HTMLElement, before: Layout, after: Layout): void {
  const { scrollTop } = scroller
  const [first] = before.touching({ x: 0, y: scrollTop, width: Number.MAX_SAFE_INTEGER, height: 1 })
  if (scrollTop === 0 || first === undefined || before.count !== after.count) return
  scroller.scrollTop = scrollTop + after.boxOf(first[0]).y - before.boxOf(first[0]).y
}
