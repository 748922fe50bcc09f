import { parentOf } from '@filestead/contract'
import { showFailure } from '../../api/show-failure.ts'
import { filesPathOf } from '../../navigation/addresses.ts'
import { currentLocation } from '../../navigation/location.ts'
import { currentPlace } from '../../place/place.ts'
import { watched } from '../../state/watched.ts'
import type { Dropped } from './picked.ts'

/** The way from a field, a drop or a paste to the machinery, which is loaded when somebody needs it. */

const isAwake = watched(false)

/** Has anything been sent, or left behind, since the page was opened? */
export const useIsAwake = isAwake.use

export const wake = (): void => isAwake.set(true)

export async function takeFiles(dropped: Dropped, into: string): Promise<void> {
  if (dropped.picked.length + dropped.unreadable.length === 0) return
  wake()
  try {
    const { beginUpload } = await import('./begin-upload.ts')
    await beginUpload(dropped, into)
  } catch (error) {
    showFailure(error)
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
