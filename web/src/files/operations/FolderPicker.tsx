import { isInside, nameOf, parentOf } from '@filestead/contract'
import { type KeyboardEvent, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useUser } from '../../server/session.ts'
import { Spinner } from '../../ui/Button.tsx'
import { FileMark, Icon } from '../../ui/Icon.tsx'
import { FolderRows } from '../tree/FolderRows.tsx'
import { useOpenFolders, useTreeInStep } from '../tree/folder-tree.ts'
import { useMounts, withMounts, withOrder } from '../tree/mount-rows.ts'
import { foldersAbove, type TreeRow, treeRows } from '../tree/tree-rows.ts'
import styles from './FolderPicker.module.css'
import { useFolderSearch } from './folder-search.ts'

/** A row that is picked, and the folder it stands for. */
export interface PickedFolder {
  key: string
  path: string
  /** It was made in this dialog, and picked by itself: a click on it does not give it up. */
  isMade?: boolean
}

interface FolderPickerProps {
  /** The folder that was entered last: ".." is the one above it. */
  shown: string
  picked: PickedFolder | null
  /** Paths that cannot be picked, nor anything below them. */
  excluded: ReadonlySet<string>
  onEnter: (path: string) => void
  onPick: (picked: PickedFolder | null) => void
  /** Enter on what is picked. */
  onConfirm: () => void
}

const upKey = '..'

/**
 * The tree of all folders, open at the one that was entered. A click picks, a double click enters; with single clicks a
 * click does both. What is typed filters: folders that are loaded at once, all others as the server finds them.
 */
export function FolderPicker({ shown, picked, excluded, onEnter, onPick, onConfirm }: FolderPickerProps) {
  const { t } = useTranslation()
  const { singleClick } = useUser()
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set(wayTo(shown)))
  const [lastShown, setLastShown] = useState(shown)
  const [filter, setFilter] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const known = useOpenFolders(opened)
  useTreeInStep(
    useCallback((path: string) => setOpened((all) => new Set([...all].filter((other) => other !== path))), []),
  )
  const { found, isSearching } = useFolderSearch(filter)
  const root = known.get('/')
  // The folder that was entered is open, and all above it.
  if (shown !== lastShown) {
    setLastShown(shown)
    setOpened(new Set([...opened, ...wayTo(shown)]))
  }

  const mounts = useMounts()
  const rows = useMemo(() => {
    const isAllowed = ({ path }: { path: string }) => ![...excluded].some((other) => isInside(path, other))
    const below = treeRows('/', opened, withOrder(known, mounts), 2).filter(isAllowed)
    const all = [rowOf('/', t('frame.myFiles'), { isOpen: true }), ...below]
    const withUp = shown === '/' ? all : [rowOf(parentOf(shown), upKey, { key: upKey }), ...all]
    const offered = filter === '' ? withUp : matching(all, found, filter).filter(isAllowed)
    return withMounts(offered, mounts, t('tree.away'))
  }, [opened, known, mounts, excluded, filter, found, shown, t])

  // The first folder that fits is the destination, until another one is picked.
  const pickFirst = useEffectEvent(() => onPick(pickOf(rows[0])))
  const isUnpicked = filter !== '' && picked === null && rows.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: a letter that follows at once gives up the folder that was picked for the last one
  useEffect(() => {
    if (isUnpicked) pickFirst()
  }, [isUnpicked, filter])

  function enter(path: string) {
    setFilter('')
    onEnter(path)
  }

  function toggle({ path }: TreeRow, isOpen: boolean) {
    const next = new Set(opened)
    if (isOpen) next.add(path)
    else next.delete(path)
    setOpened(next)
  }

  function choose(row: TreeRow, event: { type: string }) {
    if (event.type === 'keydown') return onConfirm()
    if (singleClick) return enter(row.path)
    const isGivenUp = picked?.key === row.key && picked.isMade !== true
    onPick(isGivenUp && filter === '' ? null : pickOf(row))
  }

  function filterBy(text: string) {
    setFilter(text)
    onPick(null)
  }

  function onFieldKey(event: KeyboardEvent) {
    const at = rows.findIndex(({ key }) => key === picked?.key)
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) onPick(pickOf(rows[Math.max(0, Math.min(at + step, rows.length - 1))]))
    else if (event.key === 'Enter') onConfirm()
    else if (event.key === 'Escape' && filter !== '') filterBy('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  const error = root?.error ?? null
  const isBusy = (root?.names === undefined && error === null) || isSearching
  const isEmpty = filter !== '' && rows.length === 0 && !isBusy

  return (
    <div className={styles.picker}>
      <PathButtons path={picked?.path ?? shown} onEnter={enter} />
      <div className={styles.filter}>
        <Icon name="search" small />
        <input
          ref={field}
          type="search"
          className={styles.field}
          value={filter}
          placeholder={t('tree.filter')}
          aria-label={t('tree.filter')}
          autoComplete="off"
          spellCheck={false}
          data-own-escape={filter === '' ? undefined : ''}
          onChange={(event) => filterBy(event.currentTarget.value)}
          onKeyDown={onFieldKey}
        />
      </div>
      <div className={styles.list}>
        <FolderRows
          kind="listbox"
          label={t('change.folders')}
          rows={rows}
          active={picked?.key ?? null}
          onActive={(row) => onPick(pickOf(row))}
          isMarked={({ key }) => key === picked?.key}
          onToggle={toggle}
          onChoose={choose}
          onDoubleClick={({ path }) => enter(path)}
          onType={(text) => {
            filterBy(filter + text)
            field.current?.focus()
          }}
          isBusy={isBusy}
          revealed={picked?.key ?? shown}
        />
      </div>
      {isBusy && (
        <p className={styles.note} role="status">
          <Spinner />
          {t('change.looking')}
        </p>
      )}
      {isEmpty && (
        <p className={styles.note} role="status">
          {t('tree.noMatch')}
        </p>
      )}
      {error !== null && (
        <p className={styles.note} role="alert">
          {describeFailure(error)}
        </p>
      )}
    </div>
  )
}

/** The way to the destination: each folder on it can be entered. */
function PathButtons({ path, onEnter }: { path: string; onEnter: (path: string) => void }) {
  const { t } = useTranslation()
  const steps = wayTo(path)
  return (
    <fieldset className={styles.path} aria-label={t('tree.path')}>
      {steps.map((step, index) => (
        <button key={step} type="button" data-last={index === steps.length - 1} onClick={() => onEnter(step)}>
          {step === '/' && <FileMark name="folder-open" />}
          <bdi>{step === '/' ? t('frame.myFiles') : nameOf(step)}</bdi>
        </button>
      ))}
    </fieldset>
  )
}

const wayTo = (path: string): string[] => [...foldersAbove(path), path]

const pickOf = (row: TreeRow | undefined): PickedFolder | null =>
  row === undefined ? null : { key: row.key, path: row.path }

const rowOf = (path: string, name: string, rest: Partial<TreeRow> = {}): TreeRow => ({
  ...{ key: path, path, name, level: 1, position: 1, siblings: 1 },
  ...{ isOpen: false, isLeaf: false, isBusy: false, error: null },
  ...rest,
})

/** The folders whose names hold the text: those in the tree first, then those that the server has found. */
function matching(rows: readonly TreeRow[], found: readonly string[], text: string): TreeRow[] {
  const wanted = text.toLocaleLowerCase()
  const fitting = rows.filter(({ name }) => name.toLocaleLowerCase().includes(wanted)).map(({ path }) => path)
  return [...new Set([...fitting, ...found])].map((path) =>
    rowOf(path, nameOf(path), { isLeaf: true, note: parentOf(path) }),
  )
}
