import type { FileAction } from '../../actions/action.ts'
import { can, currentSession } from '../../api/session.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { chooseWhenListed, currentPlace, type Place } from '../../place/place.ts'
import { askWith } from '../../prompts/prompts.ts'
import { ship } from './ship.ts'

export const copy: FileAction = {
  id: 'copy',
  label: 'change.copyTo',
  icon: 'copy-to',
  isAvailable: ({ view, chosen }) => can('create') && view === 'listing' && chosen.length > 0,
  run: (place) => sendElsewhere(place, 'copy'),
}

export const move: FileAction = {
  id: 'move',
  label: 'change.moveTo',
  icon: 'move',
  isAvailable: ({ view, chosen }) => can('rename') && view === 'listing' && chosen.length > 0,
  run: (place) => sendElsewhere(place, 'move'),
}

async function sendElsewhere({ folder, chosen }: Place, kind: 'copy' | 'move'): Promise<void> {
  const question = { kind, entries: chosen, folder }
  const to = await askWith(async () => (await import('./DestinationPrompt.tsx')).DestinationPrompt, question)
  if (to === null) return
  const names = await ship({ action: kind === 'copy' ? 'copy' : 'rename', entries: chosen, from: folder, to })
  if (names === null || to === folder || currentSession()?.user.redirectAfterCopyMove !== true) return
  // It may have taken long; who has gone elsewhere meanwhile is not fetched back.
  const { view, folder: shown } = currentPlace()
  if (view !== 'listing' || shown !== folder) return
  chooseWhenListed(to, names)
  await navigate(folderAddress(to))
}
