/**
 * The position of every entry, by arithmetic alone: nothing is kept per entry, so a folder of 100,000 costs what one of
 * ten does. Positions are logical: x grows in the reading direction.
 */
export type ViewMode = 'list' | 'mosaic' | 'mosaic gallery'
export type Group = 'all' | 'folders' | 'files'

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

interface Block {
  group: Group
  /** The first entry and the one behind the last. */
  start: number
  end: number
  columns: number
  /** Of one entry, without the gap. */
  width: number
  height: number
  gap: number
  /** Kept free at both sides. */
  inset: number
  /** The space above for a heading; its line comes before those of the entries. */
  heading: number
  firstLine: number
  top: number
}

export interface Layout {
  /** Of entries. */
  readonly count: number
  readonly height: number
  lineOf(index: number): number
  boxOf(index: number): Box
  /** The entry seen above (-1) or below (+1), or the same one at the edge. */
  neighbour(index: number, direction: -1 | 1): number
  /** Every entry that touches the box, as half-open ranges. */
  touching(box: Box): [number, number][]
  /** The headings to draw, with their place. */
  readonly headings: readonly { group: Group; top: number; count: number }[]
  /** Of a gallery: how a file is shown in it. */
  photo?(index: number): PhotoLook | undefined
}

export interface PhotoLook {
  /** False until the shapes of the pictures around it are known. */
  isKnown: boolean
  /** Its edges are seen, even if that leaves room beside it. */
  isWhole: boolean
  /** Of a film, such as "0:34". */
  length: string
}

export interface Measures {
  mode: ViewMode
  /** Of the room for entries, padding not included. */
  width: number
  folders: number
  files: number
  rowHeight: number
  isNarrow: boolean
}

export function layOut(measures: Measures): Layout {
  const blocks = measures.mode === 'list' ? [listBlock(measures)] : tileBlocks(measures)
  return arrange(blocks.filter((block) => block.end > block.start))
}

function listBlock({ width, folders, files, rowHeight }: Measures): Block {
  const size = { width, height: rowHeight, gap: 0, inset: 0, columns: 1 }
  return { group: 'all', start: 0, end: folders + files, heading: 0, firstLine: 0, top: 0, ...size }
}

export const headingHeight = 48

function tileBlocks({ mode, width, folders, files, isNarrow }: Measures): Block[] {
  const gap = 8
  const card = { least: 240, gap, height: 60 }
  const chip = isNarrow ? { least: 150, gap, height: 48 } : { least: 216, gap, height: 44 }
  const isGallery = mode === 'mosaic gallery'
  // The pictures of a phone go from edge to edge; what stands above them does not.
  const inset = isGallery && isNarrow ? 16 : 0
  const common = { heading: headingHeight, firstLine: 0, top: 0, inset }
  const tile = fit(width - 2 * inset, isGallery ? chip : card)
  return [
    { group: 'folders', start: 0, end: folders, ...common, ...tile },
    { group: 'files', start: folders, end: folders + files, ...common, ...tile },
  ]
}

type Tile = Pick<Block, 'columns' | 'width' | 'height' | 'gap'>

function fit(width: number, { least, gap, height }: { least: number; gap: number; height: number }): Tile {
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)))
  return { columns, width: (width - gap * (columns - 1)) / columns, height, gap }
}

function arrange(blocks: Block[]): Layout {
  let firstLine = 0
  let top = 0
  for (const block of blocks) {
    block.firstLine = firstLine
    block.top = top
    const lines = linesOf(block)
    firstLine += lines + (block.heading > 0 ? 1 : 0)
    top += block.heading + lines * (block.height + block.gap)
  }
  const empty: Block = { ...nowhere }
  const ofLine = (line: number) => blocks.findLast((block) => block.firstLine <= line) ?? empty
  const ofIndex = (index: number) => blocks.findLast((block) => block.start <= index) ?? empty

  function boxOf(index: number): Box {
    const block = ofIndex(index)
    const at = index - block.start
    return {
      x: block.inset + (at % block.columns) * (block.width + block.gap),
      y: block.top + block.heading + Math.floor(at / block.columns) * (block.height + block.gap),
      width: block.width,
      height: block.height,
    }
  }

  function lineOf(index: number): number {
    const block = ofIndex(index)
    return firstEntryLine(block) + Math.floor((index - block.start) / block.columns)
  }

  /** The entries side by side in a line; none in the line of a heading. */
  function line(at: number): { start: number; end: number } {
    const block = ofLine(at)
    const row = at - firstEntryLine(block)
    if (row < 0) return { start: block.start, end: block.start }
    const start = block.start + row * block.columns
    return { start, end: Math.min(start + block.columns, block.end) }
  }

  return {
    count: blocks.at(-1)?.end ?? 0,
    height: top,
    boxOf,
    lineOf,
    neighbour(index, direction) {
      const { x, width } = boxOf(index)
      for (let at = lineOf(index) + direction; at >= 0 && at < firstLine; at += direction) {
        const { start, end } = line(at)
        if (end > start) return nearest(boxOf, start, end, x + width / 2)
      }
      return index
    },
    touching: (box) => blocks.flatMap((block) => touched(block, box)),
    headings: blocks
      .filter(({ heading }) => heading > 0)
      .map(({ group, top: at, start, end }) => ({ group, top: at, count: end - start })),
  }
}

const nowhere: Block = {
  group: 'all',
  start: 0,
  end: 0,
  columns: 1,
  width: 0,
  height: 0,
  gap: 0,
  inset: 0,
  heading: 0,
  firstLine: 0,
  top: 0,
}

const linesOf = ({ start, end, columns }: Block): number => Math.ceil((end - start) / columns)

const firstEntryLine = ({ firstLine, heading }: Block): number => firstLine + (heading > 0 ? 1 : 0)

/** The entry of a line whose middle is closest to x. */
export function nearest(boxOf: (index: number) => Box, start: number, end: number, x: number): number {
  let best = start
  for (let index = start; index < end; index += 1) {
    if (distance(boxOf(index), x) < distance(boxOf(best), x)) best = index
  }
  return best
}

const distance = (box: Box, x: number): number => Math.abs(box.x + box.width / 2 - x)

function touched(block: Block, box: Box): [number, number][] {
  const stepX = block.width + block.gap
  const stepY = block.height + block.gap
  const y = box.y - block.top - block.heading
  const x = box.x - block.inset
  const firstRow = Math.max(0, Math.ceil((y - block.height) / stepY))
  const lastRow = Math.min(linesOf(block) - 1, Math.floor((y + box.height) / stepY))
  const firstColumn = Math.max(0, Math.ceil((x - block.width) / stepX))
  const lastColumn = Math.min(block.columns - 1, Math.floor((x + box.width) / stepX))
  const ranges: [number, number][] = []
  if (firstColumn > lastColumn) return ranges
  if (block.columns === 1 && firstRow <= lastRow) return [[block.start + firstRow, block.start + lastRow + 1]]
  for (let row = firstRow; row <= lastRow; row += 1) {
    const start = block.start + row * block.columns
    const end = Math.min(start + lastColumn + 1, block.end)
    if (start + firstColumn < end) ranges.push([start + firstColumn, end])
  }
  return ranges
}
