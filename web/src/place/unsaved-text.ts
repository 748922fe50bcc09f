import { isInside } from '@filestead/contract'
import { onPersonLeft, personalItem } from '../state/personal-storage.ts'

/** A text that was not saved when its editor went away. */
export interface UnsavedText {
  userId: number
  path: string
  /** The version the text came from. */
  version: string | null
  /** Without their ends, which may be others by the time they come back. */
  lines: string[]
}

/** One is enough: there is one editor in a tab. */
const item = personalItem('unsaved-text', () => sessionStorage)
/** What the browser has no room for stays as long as the page does. */
let large: UnsavedText | null = null

onPersonLeft(() => {
  large = null
})

export function keepText(text: UnsavedText): void {
  forget()
  try {
    item.write(JSON.stringify(text))
  } catch {
    large = text
  }
}

/** Hands it out once, to its own user. One of another user goes as well. */
export function takeText(userId: number, path: string): UnsavedText | null {
  const kept = read()
  if (kept === null || (kept.userId === userId && kept.path !== path)) return null
  forget()
  return kept.userId === userId ? kept : null
}

/** What was deleted takes its text along: a new file of that name is another file. */
export function forgetTextsOf(paths: readonly string[]): void {
  const kept = read()
  if (kept !== null && paths.some((path) => isInside(kept.path, path))) forget()
}

const read = (): UnsavedText | null => large ?? JSON.parse(item.read() ?? 'null')

function forget(): void {
  large = null
  item.remove()
}
