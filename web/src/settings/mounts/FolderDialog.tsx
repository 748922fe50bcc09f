import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { ApiError } from '../../server/client.ts'
import { serverFolderQuery } from '../../server/queries/mounts.ts'
import { Button, Spinner } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { FileMark, Icon } from '../../ui/Icon.tsx'
import styles from './FolderDialog.module.css'
import { childOf, wayTo } from './server-folder.ts'

/** Asks for a folder of the server: the one that is open is the one that is chosen. */
export function FolderDialog({ folder: first, answer }: QuestionProps<{ folder: string }, string>) {
  const { t } = useTranslation()
  const form = useId()
  const [wanted, setWanted] = useState(first)
  const [typed, setTyped] = useState(first)
  const { data: top } = useQuery(serverFolderQuery(''))
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    ...serverFolderQuery(wanted),
    placeholderData: keepPreviousData,
  })
  const isThere = data !== undefined && error === null && !isPlaceholderData
  const isOutside = error instanceof ApiError && error.code === 'forbidden'
  const failure = () =>
    isOutside && top !== undefined
      ? t('settings.mounts.picker.outside', { folders: top.names.join(', ') })
      : describeFailure(error)
  const refusal = error !== null ? failure() : isThere ? data.refusal : undefined
  const isTop = wanted === ''
  const canChoose = isThere && !isTop && data.refusal === undefined

  // The server may know the folder by another name than the one that was typed.
  const shown = isThere ? data.folder : wanted
  const [lastShown, setLastShown] = useState(shown)
  if (shown !== lastShown) {
    setLastShown(shown)
    setTyped(shown)
  }

  function open(folder: string) {
    setWanted(folder)
    setTyped(folder)
  }

  /** Enter opens what was typed, and chooses it once it is open. */
  function submit(event: FormEvent) {
    event.preventDefault()
    if (typed.trim() !== shown) open(typed.trim())
    else if (canChoose) answer(shown)
  }

  return (
    <QuestionDialog
      title={t('settings.mounts.choose')}
      width="wide"
      answer={answer}
      actions={
        <Button look="primary" disabled={!canChoose} onClick={() => answer(shown)}>
          {t('settings.mounts.picker.use')}
        </Button>
      }
    >
      <form id={form} className={styles.typed} onSubmit={submit}>
        <TextField
          label={t('settings.mounts.picker.path')}
          isCode
          placeholder="/srv/photos"
          value={typed}
          error={isTop ? undefined : refusal}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button look="line" type="submit">
          {t('settings.mounts.picker.open')}
        </Button>
      </form>
      <div className={styles.picker}>
        <nav aria-label={t('settings.mounts.picker.up')} className={styles.path}>
          <button type="button" aria-current={isTop || undefined} onClick={() => open('')}>
            <Icon name="home" small />
            {t('settings.mounts.picker.top')}
          </button>
          {wayTo(shown, top?.names ?? []).map((step) => (
            <button
              key={step.folder}
              type="button"
              dir="ltr"
              aria-current={step.folder === shown || undefined}
              onClick={() => open(step.folder)}
            >
              {step.name}
            </button>
          ))}
        </nav>
        {/* Until the next folder has come, the last one can be walked on in. */}
        <Folders
          key={data?.folder ?? wanted}
          folder={data?.folder ?? wanted}
          parent={data === undefined ? '' : data.parent}
          names={error === null ? (data?.names ?? []) : []}
          onOpen={open}
        />
        <p role="status" className={styles.state}>
          {isFetching && !isThere && (
            <>
              <Spinner />
              {t('settings.mounts.picker.looking')}
            </>
          )}
          {isThere &&
            data.names.length === 0 &&
            (isTop ? t('settings.mounts.picker.none') : t('settings.mounts.picker.empty'))}
        </p>
      </div>
    </QuestionDialog>
  )
}

interface FoldersProps {
  folder: string
  /** Undefined at the top. */
  parent: string | undefined
  names: readonly string[]
  onOpen: (folder: string) => void
}

/** The folders in the one that is open. Arrows walk, Enter opens, Backspace goes up, letters lead to a name. */
function Folders({ folder, parent, names, onOpen }: FoldersProps) {
  const { t } = useTranslation()
  const list = useRef<HTMLUListElement>(null)
  const [at, setAt] = useState(0)
  const buttons = () => [...(list.current?.querySelectorAll('button') ?? [])]

  // The keyboard goes on in the next list where it was in the last one, which is gone with its folder.
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) buttons()[0]?.focus()
  })

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const last = names.length - 1
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }
    const letter = event.key.toLocaleLowerCase()
    const isIt = (name: string) => name.toLocaleLowerCase().split('/').at(-1)?.startsWith(letter) === true
    if (event.key === 'Backspace' && parent !== undefined) onOpen(parent)
    else if (event.key in steps) buttons()[Math.max(0, Math.min(last, steps[event.key] ?? 0))]?.focus()
    else if (event.key.length === 1 && event.key !== ' ') {
      const next = names.findIndex((name, index) => index > at && isIt(name))
      buttons()[next === -1 ? names.findIndex(isIt) : next]?.focus()
    } else return
    event.preventDefault()
  }

  return (
    <ul ref={list} className={styles.list} aria-label={t('settings.mounts.picker.folders')} onKeyDown={onKeyDown}>
      {names.map((name, index) => (
        <li key={name}>
          <button
            type="button"
            tabIndex={index === at ? 0 : -1}
            onFocus={() => setAt(index)}
            onClick={() => onOpen(childOf(folder, name))}
          >
            <FileMark name="folder" />
            <bdi>{name}</bdi>
            <Icon name="chevron-right" small />
          </button>
        </li>
      ))}
    </ul>
  )
}
