import { join } from '@filestead/contract'
import type { FileAction } from '../../actions/action.ts'
import { createFile, createFolder, refreshFolders } from '../../api/resources.ts'
import { can } from '../../api/session.ts'
import { t } from '../../i18n/i18n.ts'
import { fileAddress, folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { currentPlace, goToWhenListed } from '../../place/place.ts'
import { ask } from '../../prompts/prompts.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { NamePrompt } from './NamePrompt.tsx'

export const newFolder: FileAction = {
  id: 'new-folder',
  label: 'change.newFolder',
  icon: 'folder-plus',
  isAvailable: () => can('create'),
  async run({ folder }) {
    const session = sessionSignal()
    const name = await askForFolder(folder)
    if (name === null) return
    goToWhenListed(folder, name)
    await refreshFolders(folder)
    session.throwIfAborted()
    const { view, folder: shown } = currentPlace()
    if (view === 'listing' && shown === folder) return
    const open = () => void navigate(folderAddress(join(folder, name)))
    toastSuccess(t('change.folderCreated', { name }), { label: t('change.open'), run: open })
  },
}

export const newFile: FileAction = {
  id: 'new-file',
  label: 'change.newFile',
  icon: 'file-plus',
  isAvailable: () => can('create'),
  async run({ folder }) {
    const name = await ask(NamePrompt, {
      title: t('change.newFileTitle'),
      label: t('change.name'),
      submitLabel: t('buttons.create'),
      folder,
      help: (typed) => <PathPreview path={join(folder, typed)} />,
      submit: (chosen) => createFile(join(folder, chosen)),
    })
    if (name === null) return
    void refreshFolders(folder)
    await navigate(fileAddress(join(folder, name)))
  },
}

/** Makes a folder of a name that is asked for, and answers the name. */
export const askForFolder = (folder: string): Promise<string | null> =>
  ask(NamePrompt, {
    title: t('change.newFolderTitle'),
    label: t('change.name'),
    submitLabel: t('buttons.create'),
    folder,
    help: (typed) => <PathPreview path={typed === '' ? join(folder, '') : `${join(folder, typed)}/`} />,
    submit: (chosen) => createFolder(join(folder, chosen)),
  })

const PathPreview = ({ path }: { path: string }) => (
  <span role="status">
    <bdi>{t('change.willCreate', { path })}</bdi>
  </span>
)
