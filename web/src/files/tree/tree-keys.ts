import type { TreeRow } from './tree-rows.ts'

type Keys = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>

/** What a key asks of a tree. */
export type TreeMove =
  | { kind: 'to'; index: number }
  | { kind: 'open' | 'close'; index: number }
  | { kind: 'enter' }
  | { kind: 'toggle' }
  | { kind: 'type'; text: string }

/** So many rows a page key passes. */
const page = 10

/** As assistive technology expects of a tree. Null where the key means nothing to it. `at` is -1 while no row is active. */
export function treeMove(event: Keys, rows: readonly TreeRow[], at: number, isRightToLeft: boolean): TreeMove | null {
  const { key, altKey, ctrlKey, metaKey } = event
  if (altKey || ctrlKey || metaKey) return null
  const last = rows.length - 1
  const to = (index: number): TreeMove => ({ kind: 'to', index: Math.max(0, Math.min(index, last)) })
  switch (key) {
    case 'ArrowDown':
      return to(at + 1)
    case 'ArrowUp':
      return to(at - 1)
    case 'PageDown':
      return to(at + page)
    case 'PageUp':
      return to(at - page)
    case 'Home':
      return to(0)
    case 'End':
      return to(last)
    case 'ArrowRight':
      return isRightToLeft ? outwards(rows, at) : inwards(rows, at)
    case 'ArrowLeft':
      return isRightToLeft ? inwards(rows, at) : outwards(rows, at)
    case 'Enter':
      return { kind: 'enter' }
    case ' ':
      return { kind: 'toggle' }
    default:
      return [...key].length === 1 ? { kind: 'type', text: key } : null
  }
}

/** Opens a folder, or goes to the first one in it. */
function inwards(rows: readonly TreeRow[], at: number): TreeMove | null {
  const row = rows[at]
  if (row === undefined) return null
  if (!row.isOpen) return row.isLeaf ? null : { kind: 'open', index: at }
  return (rows[at + 1]?.level ?? 0) > row.level ? { kind: 'to', index: at + 1 } : null
}

/** Closes a folder, or goes to the one that holds it. */
function outwards(rows: readonly TreeRow[], at: number): TreeMove | null {
  const row = rows[at]
  if (row === undefined) return null
  if (row.isOpen && !row.isLeaf) return { kind: 'close', index: at }
  const holder = rows.findLastIndex(({ level }, index) => index < at && level < row.level)
  return holder === -1 ? null : { kind: 'to', index: holder }
}
