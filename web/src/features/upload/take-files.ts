import { parentOf } from '@filestead/contract'
import { showFailure } from '../../api/show-failure.ts'
import { filesPathOf } from '../../navigation/addresses.ts'
import { currentLocation } from '../../navigation/location.ts'
import { currentPlace } from '../../place/place.ts'
import { sessionSignal, watchedInSession } from '../../state/session-scope.ts'
import type { Dropped } from './picked.ts'

/** The way from a field, a drop or a paste to the machinery, which is loaded when somebody needs it. */

const isAwake = watchedInSession(false)

/** Has anything been sent, or left behind, in this session? */
export const useIsAwake = isAwake.use

export const wake = (): void => isAwake.set(true)

/** Reading what was dropped may take long: it belongs to the session that it was dropped in. */
export async function takeFiles(reading: Promise<Dropped>, into: string): Promise<void> {
  const session = sessionSignal()
  try {
    const dropped = await reading
    if (session.aborted || dropped.picked.length + dropped.unreadable.length === 0) return
    wake()
    const { beginUpload } = await import('./begin-upload.ts')
    await beginUpload(dropped, into, session)
  } catch (error) {
    if (!session.aborted) showFailure(error)
  }
}

/** The folder that the person looks at, or the one that holds the file they look at; else all the way up. */
export function folderInView(): string {
  const address = currentLocation()
  if (!address.pathname.startsWith('/files')) return '/'
  const path = filesPathOf(address)
  if (address.pathname.endsWith('/')) return path
  const { view, folder } = currentPlace()
  return view === 'listing' && folder === path ? path : parentOf(path)
}
