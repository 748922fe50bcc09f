import { sessionStore } from '../../state/session-scope.ts'
import type { ChangeKind, Operation, UndoableChange } from './change.ts'

/** The oldest are forgotten. */
const mostRemembered = 50

/** The newest is the last. */
const changes = sessionStore<readonly UndoableChange[]>([])

export function rememberChange(
  kind: ChangeKind,
  inverse: readonly Operation[],
  names: readonly string[],
): UndoableChange {
  const change = { kind, names, inverse }
  changes.set([...changes.get(), change].slice(-mostRemembered))
  return change
}

export const lastChange = (): UndoableChange | undefined => changes.get().at(-1)

/** Takes a change off the stack. False where it was taken before: nothing is undone twice. */
export function takeChange(change: UndoableChange): boolean {
  const rest = changes.get().filter((each) => each !== change)
  const isThere = rest.length < changes.get().length
  changes.set(rest)
  return isThere
}

/** For offers to undo one change, which end when it is undone in another way. Answers how to stop listening. */
export function onceTaken(change: UndoableChange, listener: () => void): () => void {
  const stop = changes.subscribe(() => {
    if (changes.get().includes(change)) return
    stop()
    listener()
  })
  return stop
}
