import { join } from '@filestead/contract'
import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { t } from '../../i18n/i18n.ts'
import { fileAddress, folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { creatingFile, creatingFolder } from '../../server/operations/files.ts'
import { run } from '../../server/operations/operation.ts'
import { mayMakeIn } from '../../server/queries/access.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastOffer } from '../../ui/toasts.ts'
import { revealWhenListed, workspace } from '../../workspace/workspace.ts'
import { loadNameDialog } from './load-name-dialog.ts'

export const newFolder: Command = {
  id: 'new-folder',
  label: 'change.newFolder',
  icon: 'folder-plus',
  menus: { folder: [1, 1], new: [1, 1], 'empty-folder': [1, 2] },
  when: ({ folder }) => mayMakeIn(folder),
  async run({ folder }) {
    const session = sessionSignal()
    const name = await askForFolder(folder)
    if (name === null) return
    session.throwIfAborted()
    const { view, folder: shown } = workspace()
    if (view === 'listing' && shown === folder) return
    const open = () => void navigate(folderAddress(join(folder, name)))
    toastOffer(t('change.folderCreated', { name }), { label: t('change.open'), run: open })
  },
}

export const newFile: Command = {
  id: 'new-file',
  label: 'change.newFile',
  icon: 'file-plus',
  menus: { folder: [1, 2], new: [1, 2] },
  when: ({ folder }) => mayMakeIn(folder),
  async run({ folder }) {
    const name = await askWith(loadNameDialog, {
      title: t('change.newFileTitle'),
      label: t('change.name'),
      submitLabel: t('buttons.create'),
      folder,
      help: (typed) => <PathPreview path={typed && join(folder, typed)} />,
      submit: (chosen) => run('create', creatingFile(join(folder, chosen)), sessionSignal(), { isShownFirst: false }),
    })
    if (name === null) return
    await navigate(fileAddress(join(folder, name)))
  },
}

/** Makes a folder of a name that is asked for, and answers the name. */
export const askForFolder = (folder: string): Promise<string | null> =>
  askWith(loadNameDialog, {
    title: t('change.newFolderTitle'),
    label: t('change.name'),
    submitLabel: t('buttons.create'),
    folder,
    help: (typed) => <PathPreview path={typed && `${join(folder, typed)}/`} />,
    submit: (chosen) =>
      run('create', creatingFolder(join(folder, chosen)), sessionSignal(), {
        isShownFirst: false,
        onMade: () => revealWhenListed(folder, chosen, { focus: 'take' }),
      }),
  })

/** Keeps its line while there is no name yet, so that nothing jumps with the first letter. */
const PathPreview = ({ path }: { path: string }) => (
  <span role="status">
    <bdi>{path === '' ? '\u00a0' : t('change.willCreate', { path })}</bdi>
  </span>
)
