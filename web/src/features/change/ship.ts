import { nameOf } from '@filestead/contract'
import { cache } from '../../api/cache.ts'
import { isFolder, refreshFolders, resourceKey, resourceQuery, transfer } from '../../api/resources.ts'
import { showFailure } from '../../api/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { chooseWhenListed, currentPlace, replaceFocusWhenListed } from '../../place/place.ts'
import { askAboutConflicts } from '../../prompts/conflicts/ask-about-conflicts.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { namesOf } from './name-list.tsx'
import { neighbourOf } from './neighbours.ts'
import { reportOutcome } from './report-outcome.ts'
import { sayOfAll } from './say-of-all.ts'
import { conflictsOf, intoThemselves, namesThere, type Parcel, parcelsOf, type Shipment } from './shipment.ts'
import { workThrough } from './work-through.ts'

/**
 * Copies or moves entries to a folder, asking about names that are taken. Says what was done. Answers the names they
 * have there now, or null when nothing went anywhere.
 */
export async function ship(shipment: Shipment): Promise<string[] | null> {
  const session = sessionSignal()
  const { action, from, to } = shipment
  const impossible = intoThemselves(shipment)
  if (impossible.length > 0) {
    toastError(t('change.intoItself', { names: namesOf(impossible) }))
    return null
  }
  const there = await cache.fetchQuery(resourceQuery(to))
  const listed = isFolder(there) ? there.items : []
  const conflicts = conflictsOf(shipment, listed)
  // Beside itself a copy can only be a second one: there is nothing to ask.
  const decisions =
    from === to ? conflicts.map(() => 'rename' as const) : await askAboutConflicts(conflicts, 'transfer')
  if (decisions === null) return null
  const parcels = parcelsOf(shipment, conflicts, decisions)
  if (parcels.length === 0) return null
  const names = namesThere(parcels, listed)

  const count = parcels.length
  const title = action === 'copy' ? t('change.copying', { count }) : t('change.moving', { count })
  // One after the other: two at once would only fight for the same disk.
  const outcome = await workThrough(parcels, { title, atOnce: 1, session }, (parcel, signal) =>
    send(action, parcel, signal),
  )
  chooseIfShown(to, names)
  if (action === 'rename') goOnBeside(from, outcome.done)
  await afterwards(action, outcome.done, [from, to])
  session.throwIfAborted()
  reportOutcome(outcome, action === 'copy' ? 'change.copyFailed' : 'change.moveFailed', () =>
    sayDone(shipment, outcome.done),
  )
  return outcome.done.length === 0 ? null : names
}

const send = (action: Shipment['action'], { entry, to, onConflict }: Parcel, signal: AbortSignal): Promise<void> =>
  transfer({ action, from: entry.path, to, onConflict }, signal)

async function afterwards(action: Shipment['action'], done: readonly Parcel[], folders: string[]): Promise<void> {
  if (action === 'rename') for (const { entry } of done) cache.removeQueries({ queryKey: resourceKey(entry.path) })
  await refreshFolders(folders)
}

function sayDone({ action, from, to }: Shipment, done: readonly Parcel[]): void {
  const folder = to === '/' ? t('frame.myFiles') : nameOf(to)
  if (action === 'copy') {
    toastSuccess(sayOfAll('copied', done, { folder }))
    return
  }
  // What replaced something cannot be taken back, and a second name is the server's choice.
  const canTakeBack = done.every(({ onConflict }) => onConflict === 'fail')
  const undo = { label: t('change.undo'), run: () => void takeBack(done, from, to).catch(showFailure) }
  toastSuccess(sayOfAll('moved', done, { folder }), canTakeBack ? undo : undefined)
}

async function takeBack(moved: readonly Parcel[], from: string, to: string): Promise<void> {
  const session = sessionSignal()
  const count = moved.length
  const title = t('change.moving', { count })
  const outcome = await workThrough(moved, { title, atOnce: 1, session }, (parcel, signal) =>
    transfer({ action: 'rename', from: parcel.to, to: parcel.entry.path, onConflict: 'fail' }, signal),
  )
  chooseIfShown(
    from,
    moved.map(({ name }) => name),
  )
  for (const parcel of outcome.done) cache.removeQueries({ queryKey: resourceKey(parcel.to) })
  await refreshFolders([from, to])
  session.throwIfAborted()
  reportOutcome(outcome, 'change.moveFailed', () => toastSuccess(sayOfAll('movedBack', outcome.done)))
}

/** What leaves the folder in view may have had the focus, or its buttons had: the keyboard goes on beside it. */
function goOnBeside(folder: string, gone: readonly Parcel[]): void {
  const place = currentPlace()
  if (place.view !== 'listing' || place.folder !== folder) return
  const next = neighbourOf(
    place.entries,
    gone.map(({ entry }) => entry),
  )
  if (next !== null) replaceFocusWhenListed(folder, next.name)
}

/** What arrives in the folder in view is chosen there. */
function chooseIfShown(folder: string, names: readonly string[]): void {
  if (currentPlace().view === 'listing' && currentPlace().folder === folder) chooseWhenListed(folder, names)
}
