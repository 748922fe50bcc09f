import { showFailure } from '../api/show-failure.ts'
import { currentPlace, type Place } from '../place/place.ts'
import { sessionSignal } from '../state/session-scope.ts'
import type { FileAction } from './action.ts'

let actions: readonly FileAction[] = []

/** Called once, by the application, with everything its features offer. The order is the order of menus. */
export function registerActions(all: readonly FileAction[]): void {
  actions = all
}

export const allActions = (): readonly FileAction[] => actions

/** Those of the named actions that are offered here, in the named order. */
export const availableActions = (place: Place, ids: readonly string[]): FileAction[] =>
  ids.flatMap((id) => actions.filter((action) => action.id === id && action.isAvailable(place)))

/** The same for a menu, where some stay in their place though they cannot be done just now. */
export const menuActions = (place: Place, ids: readonly string[]): FileAction[] =>
  ids.flatMap((id) =>
    actions.filter(
      (action) => action.id === id && (action.isAvailable(place) || action.isShownGreyed?.(place) === true),
    ),
  )

/** Runs an action on the present place. What goes wrong is said in a toast. */
export async function perform(action: FileAction): Promise<void> {
  const place = currentPlace()
  if (!action.isAvailable(place)) return
  const session = sessionSignal()
  try {
    await action.run(place)
  } catch (error) {
    if (!session.aborted) showFailure(error)
  }
}

/** For buttons outside menus. Answers whether there was such an action to run. */
export function performById(id: string): boolean {
  const action = actions.find((candidate) => candidate.id === id)
  if (action === undefined || !action.isAvailable(currentPlace())) return false
  void perform(action)
  return true
}
