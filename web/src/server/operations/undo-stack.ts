import { sessionStore } from '../../state/session-scope.ts'
import { isGuest } from '../session.ts'
import type { UndoableChange } from './change.ts'

/** The oldest are forgotten. */
const mostRemembered = 50

/** What this tab has done, and what it has taken back and could do again. The newest is the last. */
const stacks = sessionStore<Readonly<Record<Way, readonly UndoableChange[]>>>({ undo: [], redo: [] })

/** Redoing is taking the undoing back. */
export type Way = 'undo' | 'redo'

/** What guests do the server does not remember. */
export function rememberChange(change: UndoableChange): UndoableChange | null {
  if (change.batches.length === 0 || isGuest()) return null
  // After a new change there is nothing to do again.
  stacks.set({ undo: [...stacks.get().undo, change].slice(-mostRemembered), redo: [] })
  return change
}

/** Puts a change on a stack and leaves the other one as it is. */
export const putBack = (way: Way, change: UndoableChange): void =>
  stacks.set({ ...stacks.get(), [way]: [...stacks.get()[way], change].slice(-mostRemembered) })

export const lastChange = (way: Way = 'undo'): UndoableChange | undefined => stacks.get()[way].at(-1)

/** Takes a change off its stack. False where it was taken before: nothing is undone twice. */
export function takeChange(change: UndoableChange, way: Way = 'undo'): boolean {
  const before = stacks.get()
  const rest = before[way].filter((each) => each !== change)
  const isThere = rest.length < before[way].length
  if (isThere) stacks.set({ ...before, [way]: rest })
  return isThere
}

/** For offers to undo one change, which end when it is undone in another way. Answers how to stop listening. */
export function onceTaken(change: UndoableChange, way: Way, listener: () => void): () => void {
  const stop = stacks.subscribe(() => {
    if (stacks.get()[way].includes(change)) return
    stop()
    listener()
  })
  return stop
}
