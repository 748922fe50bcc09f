import type { KeyboardEvent } from 'react'
import { addressOf } from '../../navigation/addresses.ts'
import { hrefOf } from '../../navigation/location.ts'
import type { FoundEntry } from '../../server/queries/search.ts'
import { type PaletteOption, searchId } from './palette.ts'

/** A line of the palette that can be marked: by its key, which stays when others come. */
interface LineFacts {
  key: string
  /** In the page. */
  id: string
}

export interface OptionLine extends LineFacts {
  option: PaletteOption
}

export interface ResultLine extends LineFacts {
  entry: FoundEntry
}

export type Line = OptionLine | ResultLine

interface Content {
  /** Begins the ids of all lines. */
  id: string
  options: readonly PaletteOption[]
  found: readonly FoundEntry[]
  /** The search has come to its end. */
  isDone: boolean
  withCommands: boolean
}

/** Which lines there are, and in which order. */
export function arrange({ id, options, found, isDone, withCommands }: Content) {
  const ofOptions = options.map((option, at): OptionLine => ({ key: option.id, id: `${id}o${at}`, option }))
  const ofResults = found.map((entry, at): ResultLine => ({ key: entry.path, id: `${id}r${at}`, entry }))
  const fitting = options.filter((option) => option.id !== searchId)
  const hasClose = fitting.some(({ isClose }) => isClose)
  // A command that has no more than the typed letters stands below files, and is not offered by a search.
  const areOptionsFirst = withCommands && (found.length === 0 ? fitting.length > 0 : hasClose)
  const isNothingFound = isDone && found.length === 0 && !areOptionsFirst && !hasClose
  const ordered: Line[] = areOptionsFirst ? [...ofOptions, ...ofResults] : [...ofResults, ...ofOptions]
  return { ofOptions, ofResults, areOptionsFirst, isNothingFound, lines: isNothingFound ? [] : ordered }
}

/** The line that a key leads to. The arrows go round; Home and End belong to the text where no line is marked by itself. */
export function nextLine(event: KeyboardEvent, at: number, count: number, hasEnds: boolean): number | undefined {
  if (count === 0 || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return undefined
  switch (event.key) {
    case 'ArrowDown':
      return (at + 1) % count
    case 'ArrowUp':
      return at === -1 ? count - 1 : (at + count - 1) % count
    case 'Home':
      return hasEnds ? 0 : undefined
    case 'End':
      return hasEnds ? count - 1 : undefined
    default:
      return undefined
  }
}

export function openInNewTab(line: Line | undefined): void {
  if (line === undefined) return
  const address = 'entry' in line ? addressOf(line.entry) : line.option.address
  if (address !== undefined) window.open(hrefOf(address), '_blank', 'noopener')
}
