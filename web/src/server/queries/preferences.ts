import type { TokenUser, User } from '@filestead/contract'
import { perSession, sessionSignal } from '../../state/session-scope.ts'
import { amendUser, currentSession, isGuest } from '../session.ts'
import { ownOrder, toldOrder } from './resources.ts'
import { updateUser } from './update-user.ts'

/** Preferences of the session's user that are being saved. */
const saving = perSession(() => ({
  count: 0,
  isRefused: false,
  last: Promise.resolve() as Promise<unknown>,
  /** As the server has them. */
  stored: {} as Partial<TokenUser>,
  /** As they were chosen, of all that are under way. */
  chosen: {} as Partial<TokenUser>,
}))

/**
 * Shows the user's own preferences at once and saves them, one change after the other, so that the last one counts.
 * Once all have been answered, those that were refused are shown as they were before. The choices of a guest last as
 * long as the page.
 */
export async function savePreferences(change: Partial<TokenUser> & Partial<Pick<User, 'sorting'>>): Promise<void> {
  const { user } = currentSession() ?? {}
  if (user === undefined) return
  const { sorting, ...shown } = change
  if (isGuest()) {
    amendUser(shown)
    if (sorting !== undefined) ownOrder.set(sorting)
    return
  }
  const own = saving()
  if (own.count === 0) Object.assign(own, { stored: user, chosen: {}, isRefused: false })
  own.count += 1
  own.chosen = { ...own.chosen, ...shown }
  amendUser(shown)
  const session = sessionSignal()
  const sent = own.last.then(() => {
    session.throwIfAborted()
    return updateUser({ ...change, id: user.id }, Object.keys(change) as (keyof User)[])
  })
  own.last = sent.catch(() => {})
  try {
    await sent
    own.stored = { ...own.stored, ...shown }
    if (sorting !== undefined && !session.aborted) toldOrder.set(sorting)
  } catch (error) {
    own.isRefused = true
    throw error
  } finally {
    own.count -= 1
    if (own.count === 0 && own.isRefused && !session.aborted) amendUser(pick(own.stored, Object.keys(own.chosen)))
  }
}

const pick = (user: Partial<TokenUser>, names: readonly string[]): Partial<TokenUser> =>
  Object.fromEntries(Object.entries(user).filter(([name]) => names.includes(name)))
