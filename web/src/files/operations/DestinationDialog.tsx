import { join, nameOf } from '@filestead/contract'
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
import { Icon } from '../../ui/Icon.tsx'
import { NamedText } from '../../ui/NamedText.tsx'
import { askForFolder } from './create.tsx'
import styles from './DestinationDialog.module.css'
import { FolderPicker, type PickedFolder } from './FolderPicker.tsx'
import { recentDestinations, rememberDestination } from './recent-destinations.ts'

interface DestinationQuestion {
  kind: 'copy' | 'move'
  entries: readonly Pick<Entry, 'path' | 'name'>[]
  /** Where they are now, or where they were. */
  folder: string
  /** For what comes out of the past: nothing of it is where it was, so that every folder is another one. */
  words?: { title: string; label: string; to(folder: string): string }
}

/**
 * Asks for the folder that entries go to. What is picked counts, else the folder that was entered. Nothing moves to where
 * it is already; a copy there is a second one, which the button says, and which Enter alone does not make.
 */
export function DestinationDialog({
  kind,
  entries,
  folder,
  words,
  answer,
}: QuestionProps<DestinationQuestion, string>) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(folder)
  const [picked, setPicked] = useState<PickedFolder | null>(null)
  const [excluded] = useState(() => new Set(words ? [] : entries.map(({ path }) => path)))
  const [recent] = useState(() => recentDestinations().filter((path) => path !== folder && !excluded.has(path)))
  const destination = picked?.path ?? shown
  // Until the server has told, and where it does not, the folder counts as one that takes things.
  const { data: target } = useQuery({ ...folderRightsQuery(destination), retry: false })
  const isTaking = may(kind === 'copy' ? 'create' : 'receive', target)
  const isElsewhere = words !== undefined || destination !== folder
  const isPossible = isTaking && (kind === 'copy' || isElsewhere)
  const name = destination === '/' ? t('frame.myFiles') : nameOf(destination)
  const label = words?.label ?? t(kind === 'copy' ? 'change.copy' : 'change.move')
  const said = words
    ? words.to(name)
    : isElsewhere
      ? t(kind === 'copy' ? 'tree.copyTo' : 'tree.moveTo', { folder: name })
      : kind === 'copy'
        ? t('tree.duplicate')
        : label

  function enter(path: string) {
    setShown(path)
    setPicked(null)
  }

  function confirm() {
    rememberDestination(destination)
    answer(destination)
  }

  async function makeFolder() {
    const name = await askForFolder(destination)
    if (name === null) return
    const path = join(destination, name)
    setShown(destination)
    setPicked({ key: path, path, isMade: true })
  }

  return (
    <QuestionDialog
      title={words?.title ?? t(kind === 'copy' ? 'change.copyTitle' : 'change.moveTitle')}
      answer={answer}
      asideAction={
        may('create', target) ? (
          <Button icon="folder-plus" onClick={() => void makeFolder().catch(showFailure)}>
            {t('change.newFolder')}
          </Button>
        ) : undefined
      }
      actions={
        <Button
          look="primary"
          disabled={!isPossible}
          aria-description={said === label ? undefined : withoutMarks(said)}
          onClick={confirm}
        >
          <NamedText name={label} shown={said} />
        </Button>
      }
    >
      <p className={styles.subject}>
        <Icon name={words ? 'undo' : kind === 'copy' ? 'copy-to' : 'move'} />
        <b>
          <bdi>{entries.length === 1 ? entries[0]?.name : t('change.subject', { count: entries.length })}</bdi>
        </b>
        <bdi>{t('change.from', { folder: folder === '/' ? t('frame.myFiles') : nameOf(folder) })}</bdi>
      </p>
      <Recent paths={recent} onChoose={enter} />
      <FolderPicker
        shown={shown}
        picked={picked}
        excluded={excluded}
        onEnter={enter}
        onPick={setPicked}
        onConfirm={() => isElsewhere && isTaking && confirm()}
      />
      <p className={styles.destination} data-testid="destination" aria-live="polite">
        <bdi>
          {isTaking ? t('change.destination', { path: destination }) : t('change.noTarget', { path: destination })}
        </bdi>
      </p>
    </QuestionDialog>
  )
}

function Recent({ paths, onChoose }: { paths: readonly string[]; onChoose: (path: string) => void }) {
  const { t } = useTranslation()
  if (paths.length === 0) return null
  return (
    <fieldset className={styles.recent} aria-label={t('change.recent')}>
      <span aria-hidden="true">{t('change.recent')}</span>
      {paths.map((path) => (
        <button key={path} type="button" title={path} onClick={() => onChoose(path)}>
          <Icon name="folder" small />
          <bdi>{path === '/' ? t('frame.myFiles') : nameOf(path)}</bdi>
        </button>
      ))}
    </fieldset>
  )
}
