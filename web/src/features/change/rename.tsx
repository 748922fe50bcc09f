import { join } from '@filestead/contract'
import type { FileAction } from '../../actions/action.ts'
import { cache } from '../../api/cache.ts'
import { type Entry, refreshFolders, resourceKey, transfer } from '../../api/resources.ts'
import { can } from '../../api/session.ts'
import { showFailure } from '../../api/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { addressOf, currentFilesPath } from '../../navigation/addresses.ts'
import { goTo, mayLeave } from '../../navigation/location.ts'
import { chooseWhenListed, currentPlace } from '../../place/place.ts'
import { ask } from '../../prompts/prompts.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { NamePrompt } from './NamePrompt.tsx'
import { stemLength } from './name-problem.ts'

export const rename: FileAction = {
  id: 'rename',
  label: 'change.rename',
  icon: 'rename',
  shortcut: 'F2',
  isAvailable: ({ chosen }) => can('rename') && chosen.length === 1,
  async run({ folder, chosen: [entry] }) {
    if (entry === undefined) return
    const session = sessionSignal()
    const name = await ask(NamePrompt, {
      title: t('change.rename'),
      label: t('change.newName'),
      submitLabel: t('change.rename'),
      folder,
      oldName: entry.name,
      selected: stemLength(entry.name, entry.isDir),
      help: () => <bdi>{t('change.was', { name: entry.name })}</bdi>,
      submit: (chosen) => giveName(entry, folder, chosen),
    })
    if (name === null) return
    await follow(entry, folder, name)
    session.throwIfAborted()
    const renamed = { ...entry, name, path: join(folder, name) }
    toastSuccess(t('change.renamedTo', { name }), {
      label: t('change.undo'),
      run: () => void takeBack(renamed, folder, entry.name).catch(showFailure),
    })
  },
}

async function takeBack(entry: Entry, folder: string, name: string): Promise<void> {
  await giveName(entry, folder, name)
  await follow(entry, folder, name)
}

async function giveName(entry: Entry, folder: string, name: string): Promise<void> {
  const to = join(folder, name)
  // What is not saved yet has to be saved, or given up, while the file still has its old name.
  if (isInView(entry) && !(await mayLeave(addressOf({ ...entry, path: to }))))
    throw new DOMException('Changes are not saved', 'AbortError')
  await transfer({ action: 'rename', from: entry.path, to, onConflict: 'fail' })
}

/** Whoever looks at the entry goes on looking at it, under its new address; a listing chooses it. */
async function follow(entry: Entry, folder: string, name: string): Promise<void> {
  chooseWhenListed(folder, name)
  if (isInView(entry)) goTo(addressOf({ ...entry, path: join(folder, name) }), { replace: true })
  cache.removeQueries({ queryKey: resourceKey(entry.path) })
  await refreshFolders(folder)
}

const isInView = (entry: Entry): boolean =>
  ['editor', 'preview'].includes(currentPlace().view) && currentFilesPath() === entry.path
