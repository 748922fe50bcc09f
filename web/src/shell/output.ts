import { useEffect, useRef, useState } from 'react'

/** With more lines than this the oldest blocks are removed: a command may print without an end. */
const maxLines = 5000
/** A block is rendered again only while lines are added to it, and by the browser only while it is in view. */
const blockSize = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with the escape character
const colourCodes = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g

export interface Line {
  kind: 'command' | 'output' | 'end'
  text: string
}

/** Lines that came together, as one text. It never changes, so that a screen reader reads each line once. */
export interface Run {
  kind: Line['kind']
  text: string
  lines: number
}

export interface Block {
  id: number
  runs: readonly Run[]
  lines: number
}

/** Adds lines at the end. Blocks that are full stay the same objects. */
export function addLines(blocks: readonly Block[], added: readonly Line[]): readonly Block[] {
  const next = [...blocks]
  // Of more than fits, the beginning would be removed again at once.
  for (const run of runsOf(added.slice(-maxLines))) {
    const last = next.at(-1)
    const isFull = last === undefined || last.lines + run.lines > blockSize
    const block = isFull ? { id: (last?.id ?? 0) + 1, runs: [], lines: 0 } : last
    if (!isFull) next.pop()
    next.push({ id: block.id, runs: block.runs.concat(run), lines: block.lines + run.lines })
  }
  let lines = next.reduce((sum, block) => sum + block.lines, 0)
  const first = next.findIndex((block) => {
    if (lines <= maxLines) return true
    lines -= block.lines
    return false
  })
  return first <= 0 ? next : next.slice(first)
}

function runsOf(lines: readonly Line[]): Run[] {
  const runs: Run[] = []
  for (const { kind, text } of lines) {
    const plain = text.replace(colourCodes, '')
    const last = runs.at(-1)
    if (last === undefined || kind !== 'output' || last.kind !== 'output' || last.lines >= blockSize)
      runs.push({ kind, text: plain, lines: 1 })
    else {
      last.text += `\n${plain}`
      last.lines += 1
    }
  }
  return runs
}

/** In milliseconds. A program may print thousands of lines a second: they are shown together. */
const showEvery = 33

/** What commands have printed. */
export function useOutput() {
  const [blocks, setBlocks] = useState<readonly Block[]>([])
  const waiting = useRef<Line[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => () => clearTimeout(timer.current), [])

  function show() {
    timer.current = undefined
    const lines = waiting.current
    waiting.current = []
    setBlocks((now) => addLines(now, lines))
  }

  return {
    blocks,
    print(kind: Line['kind'], text: string) {
      waiting.current.push({ kind, text })
      // In a tab in the background timers come late.
      if (waiting.current.length > 2 * maxLines) waiting.current = waiting.current.slice(-maxLines)
      timer.current ??= setTimeout(show, showEvery)
    },
    clear() {
      waiting.current = []
      setBlocks([])
    },
  }
}
