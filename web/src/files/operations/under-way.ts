import type { UndoableChange } from '../../server/operations/change.ts'
import { lastChange } from '../../server/operations/undo-stack.ts'
import { perSession } from '../../state/session-scope.ts'

interface Begun {
  /** What could be undone when it began. */
  before: UndoableChange | undefined
  end: Promise<unknown>
}

const begun = perSession(() => new Set<Begun>())

/** Work on many entries, which is the last change as soon as it is over: who undoes meanwhile means it. */
export function underWay<Value>(work: () => Promise<Value>): Promise<Value> {
  const [all, before] = [begun(), lastChange()]
  const end = work()
  const own = { before, end }
  all.add(own)
  const forget = () => void all.delete(own)
  end.then(forget, forget)
  return end
}

/**
 * Waits for what was begun after the last change that can be undone. Answers whether that has become the last change; a
 * cancelled or refused one does not.
 */
export async function untilOver(onWaiting: () => void): Promise<boolean> {
  const before = lastChange()
  const last = [...begun()].findLast((each) => each.before === before)
  if (last === undefined) return true
  onWaiting()
  await last.end.catch(() => {})
  return lastChange() !== before
}
