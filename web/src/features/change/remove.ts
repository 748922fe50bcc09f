import type { FileAction } from '../../actions/action.ts'
import { cache } from '../../api/cache.ts'
import { type Entry, isFolder, refreshFolders, removeEntry, resourceKey, resourceQuery } from '../../api/resources.ts'
import { can } from '../../api/session.ts'
import { t } from '../../i18n/i18n.ts'
import { fileAddress, folderAddress } from '../../navigation/addresses.ts'
import { goTo } from '../../navigation/location.ts'
import { chooseWhenListed, currentPlace, type Place, replaceFocusWhenListed } from '../../place/place.ts'
import { forgetTextsOf } from '../../place/unsaved-text.ts'
import { ask } from '../../prompts/prompts.ts'
import { perSession, sessionSignal } from '../../state/session-scope.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { neighbourOf } from './neighbours.ts'
import { RemovePrompt } from './RemovePrompt.tsx'
import { reportOutcome } from './report-outcome.ts'
import { sayOfAll } from './say-of-all.ts'
import { workThrough } from './work-through.ts'

/** Paths on their way out. Whoever deletes them again before they are gone means the same deletion. */
const pathsGoing = perSession(() => new Set<string>())

export const remove: FileAction = {
  id: 'delete',
  label: 'buttons.delete',
  icon: 'trash',
  shortcut: 'Delete',
  isDanger: true,
  isAvailable: ({ chosen }) => can('delete') && chosen.length > 0,
  async run(place) {
    const { folder } = place
    const session = sessionSignal()
    const going = pathsGoing()
    const chosen = place.chosen.filter(({ path }) => !going.has(path))
    if (chosen.length === 0) return
    const isMeant = await ask(RemovePrompt, { entries: chosen })
    if (isMeant === null) return
    const next = neighbourOf(place.view === 'preview' ? await filesBeside(place) : place.entries, chosen)
    const title = t('change.deleting', { count: chosen.length })
    for (const { path } of chosen) going.add(path)
    const outcome = await workThrough(chosen, { title, atOnce: 4, session }, ({ path }) =>
      // What is being deleted when the person says stop may be gone already: only the session ends it.
      removeEntry(path, session).finally(() => going.delete(path)),
    ).finally(() => {
      // Those that were never begun, too.
      for (const { path } of chosen) going.delete(path)
    })
    const { done, failed } = outcome
    forgetTextsOf(done.map(({ path }) => path))
    if (place.view !== 'listing' && done.length > 0) leaveFile(place, next)
    // What could not be deleted stays chosen. The neighbour is not: the same keys again would delete it, too.
    else if (failed.length > 0) chooseWhenListed(folder, namesOf(failed))
    else if (next !== null) replaceFocusWhenListed(folder, next.name)
    for (const { path } of done) cache.removeQueries({ queryKey: resourceKey(path) })
    await refreshFolders(folder)
    session.throwIfAborted()
    reportOutcome(outcome, 'change.deleteFailed', () => toastSuccess(sayOfAll('deleted', done)))
  },
}

const namesOf = (failed: readonly { item: Entry }[]): string[] => failed.map(({ item }) => item.name)

/** The file in view is gone: on to the next one, else the one before, else its folder. */
function leaveFile({ folder, chosen: [file] }: Place, next: Entry | null): void {
  if (currentPlace().chosen[0]?.path !== file?.path) return
  // Without asking about unsaved changes: there is nothing left to save them to.
  goTo(next === null ? folderAddress(folder) : fileAddress(next.path), { replace: true })
}

/** The file in view among those one steps through. Where the folder cannot be listed there is no next one. */
async function filesBeside({ folder, chosen: [file] }: Place): Promise<readonly Entry[]> {
  const known = await cache.fetchQuery(resourceQuery(folder)).catch(() => null)
  if (known === null || !isFolder(known)) return []
  return known.items.filter(({ type, name }) => stepped.has(type) || name === file?.name)
}

const stepped = new Set<Entry['type']>(['image', 'video', 'audio', 'blob'])
