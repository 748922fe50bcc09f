import type { SearchQuery } from '@codemirror/search'
import type { EditorState } from '@codemirror/state'

export interface Matches {
  /** How many there are, at most `mostCounted`. */
  total: number
  /** Whether there are more than were counted. */
  isMore: boolean
  /** The place of the selected one among them, from 1; 0 where none is selected. */
  at: number
}

export const mostCounted = 1000
const none: Matches = { total: 0, isMore: false, at: 0 }

/** Counts what a query finds in the text. A long text is left after `milliseconds`: typing must not wait for a number. */
export function countMatches(state: EditorState, query: SearchQuery, milliseconds = 60): Matches {
  if (!query.valid) return none
  const { from, to } = state.selection.main
  const until = performance.now() + milliseconds
  const found = { ...none }
  const cursor = query.getCursor(state)
  for (let match = cursor.next(); match.done !== true; match = cursor.next()) {
    if (found.total === mostCounted || performance.now() > until) return { ...found, isMore: true }
    found.total += 1
    if (match.value.from === from && match.value.to === to) found.at = found.total
  }
  return found
}
