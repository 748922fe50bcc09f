import { archiveTitleOf, join, nameOf, parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { may } from '../../server/queries/access.ts'
import { folderRightsQuery } from '../../server/queries/folder-rights.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Button } from '../../ui/Button.tsx'
import { NamedText } from '../../ui/NamedText.tsx'
import { Checkbox } from '../../ui/Tick.tsx'
import { askForFolder } from '../operations/create.tsx'
import { FolderPicker, type PickedFolder } from '../operations/FolderPicker.tsx'
import styles from './ExtractDialog.module.css'
import { Subject } from './Subject.tsx'

interface ExtractQuestion {
  archive: Entry
  /** How many entries of it are taken out; 0 for all of it. */
  count: number
}

interface ExtractAnswer {
  folder: string
  /** Into a new folder there, which has the name of the archive. */
  isInOwnFolder: boolean
}

const nothing: ReadonlySet<string> = new Set()

/** Asks for the folder that gets what is in an archive. All of it goes into a folder of its own, unless that is not wanted. */
export function ExtractDialog({ archive, count, answer }: QuestionProps<ExtractQuestion, ExtractAnswer>) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(() => parentOf(archive.path))
  const [picked, setPicked] = useState<PickedFolder | null>(null)
  const [isInOwnFolder, setIsInOwnFolder] = useState(count === 0)
  const folder = picked?.path ?? shown
  // Until the server has told, and where it does not, the folder counts as one that takes things.
  const { data: target } = useQuery({ ...folderRightsQuery(folder), retry: false })
  const isTaking = may('create', target)
  const title = archiveTitleOf(archive.name)
  const path = isInOwnFolder ? join(folder, title) : folder
  const label = t('archives.extractAction')
  const said = t('archives.extractInto', { folder: path === '/' ? t('frame.myFiles') : nameOf(path) })

  function enter(next: string) {
    setShown(next)
    setPicked(null)
  }

  const confirm = () => answer({ folder, isInOwnFolder })

  async function makeFolder() {
    const name = await askForFolder(folder)
    if (name === null) return
    const made = join(folder, name)
    setShown(folder)
    setPicked({ key: made, path: made, isMade: true })
  }

  return (
    <QuestionDialog
      title={t('archives.extractTitle')}
      answer={answer}
      asideAction={
        isTaking ? (
          <Button icon="folder-plus" onClick={() => void makeFolder().catch(showFailure)}>
            {t('change.newFolder')}
          </Button>
        ) : undefined
      }
      actions={
        <Button look="primary" disabled={!isTaking} aria-description={withoutMarks(said)} onClick={confirm}>
          <NamedText name={label} shown={said} />
        </Button>
      }
    >
      <Subject
        icon="extract"
        text={
          count === 0
            ? t('archives.allOf', { name: archive.name })
            : t('archives.someOf', { count, name: archive.name })
        }
      />
      <FolderPicker
        shown={shown}
        picked={picked}
        excluded={nothing}
        onEnter={enter}
        onPick={setPicked}
        onConfirm={() => isTaking && confirm()}
      />
      <Checkbox
        label={t('archives.ownFolder', { name: title })}
        checked={isInOwnFolder}
        onChange={({ target }) => setIsInOwnFolder(target.checked)}
      />
      <p className={styles.destination} data-testid="destination" aria-live="polite">
        <bdi>{isTaking ? t('change.destination', { path }) : t('change.noTarget', { path: folder })}</bdi>
      </p>
    </QuestionDialog>
  )
}
