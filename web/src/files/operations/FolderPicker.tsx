import { parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { isFolder, resourceQuery } from '../../server/queries/resources.ts'
import { useUser } from '../../server/session.ts'
import { Spinner } from '../../ui/Button.tsx'
import { isRightToLeft } from '../../ui/direction.ts'
import { FileMark, Icon } from '../../ui/Icon.tsx'
import styles from './FolderPicker.module.css'
import { type FolderOption, keyMeaning, optionStarting } from './folder-options.ts'

interface FolderPickerProps {
  /** The folder whose folders are listed. */
  shown: string
  /** The one of them that is picked. */
  picked: string | null
  /** Paths that cannot be picked. */
  excluded: ReadonlySet<string>
  onEnter: (path: string) => void
  onPick: (path: string | null) => void
  /** Enter where there is nothing to enter. */
  onConfirm: () => void
}

/** In pixels, with a mouse; elsewhere it is measured. */
const optionHeight = 34
const listPadding = 5

const withIndex = (indices: number[], index: number): number[] =>
  index === -1 || indices.includes(index) ? indices : [...indices, index].toSorted((a, b) => a - b)

/** One level of folders. A click picks, a double click or Enter goes in; with single clicks a click goes in. */
export function FolderPicker({ shown, picked, excluded, onEnter, onPick, onConfirm }: FolderPickerProps) {
  const { t } = useTranslation()
  const { singleClick } = useUser()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const typed = useRef({ text: '', at: 0 })
  const { data, error } = useQuery({ ...resourceQuery(shown), staleTime: 10_000 })
  const [active, setActive] = useState<string | null>(null)

  const folders = data !== undefined && isFolder(data) ? data.items.filter(({ isDir }) => isDir) : []
  const up: FolderOption[] = shown === '/' ? [] : [{ name: '..', path: parentOf(shown) }]
  const options: FolderOption[] = [...up, ...folders.filter(({ path }) => !excluded.has(path))]
  const current = picked ?? active
  const index = options.findIndex(({ path }) => path === current)

  // A folder may hold thousands of others: those in view are rendered, and the one that the list points at.
  const virtual = useVirtualizer({
    count: options.length,
    getScrollElement: () => list.current,
    estimateSize: () => optionHeight,
    paddingStart: listPadding,
    paddingEnd: listPadding,
    overscan: 10,
    rangeExtractor: (range) => withIndex(defaultRangeExtractor(range), index),
  })

  const isListed = index !== -1
  const show = useEffectEvent(() => virtual.scrollToIndex(index))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another option is the trigger, also one that was just made
  useEffect(() => {
    if (isListed) show()
  }, [current, isListed])

  function enter(path: string) {
    setActive(null)
    onEnter(path)
  }

  function pick(option: FolderOption | undefined) {
    if (option === undefined) return
    setActive(option.path)
    onPick(option.path)
  }

  function onKeyDown(event: KeyboardEvent) {
    const meaning = keyMeaning(event, isRightToLeft())
    if (meaning === null) return
    event.preventDefault()
    const option = options[index]
    if (meaning.kind === 'to') pick(options[meaning.index(index, options.length)])
    if (meaning.kind === 'enter') option === undefined ? onConfirm() : enter(option.path)
    if (meaning.kind === 'in' && option !== undefined) enter(option.path)
    if (meaning.kind === 'up' && shown !== '/') enter(parentOf(shown))
    if (meaning.kind === 'toggle' && option !== undefined) onPick(picked === option.path ? null : option.path)
    if (meaning.kind === 'type') {
      const isFresh = event.timeStamp - typed.current.at > 700
      typed.current = { text: (isFresh ? '' : typed.current.text) + event.key, at: event.timeStamp }
      pick(optionStarting(options, typed.current.text, index))
    }
  }

  return (
    <div className={styles.picker}>
      <p className={styles.where}>
        <FileMark name="folder-open" />
        <bdi>{shown === '/' ? t('frame.myFiles') : shown}</bdi>
      </p>
      <div
        ref={list}
        role="listbox"
        tabIndex={0}
        className={styles.list}
        aria-label={t('change.folders')}
        aria-busy={data === undefined && error === null}
        aria-activedescendant={index === -1 ? undefined : `${id}-${index}`}
        data-autofocus=""
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className={styles.sheet} style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index: position, start }) => {
            const option = options[position]
            if (option === undefined) return null
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox around it has the keyboard
              // biome-ignore lint/a11y/useFocusableInteractive: the listbox points at it instead
              <div
                key={option.path}
                ref={virtual.measureElement}
                id={`${id}-${position}`}
                role="option"
                className={styles.option}
                style={{ insetBlockStart: start }}
                data-index={position}
                aria-label={option.name}
                aria-selected={picked === option.path}
                aria-setsize={options.length}
                aria-posinset={position + 1}
                data-active={current === option.path}
                onClick={() => {
                  if (singleClick) enter(option.path)
                  // Only what was picked by hand is given up by hand: a folder that was just made is picked by itself.
                  else if (picked === option.path && active === option.path) onPick(null)
                  else pick(option)
                }}
                onDoubleClick={() => enter(option.path)}
              >
                {option.name === '..' ? <Icon name="arrow-up" small /> : <FileMark name="folder" />}
                <bdi className={styles.name}>{option.name}</bdi>
                <span
                  className={styles.into}
                  aria-hidden="true"
                  onClick={(event) => {
                    event.stopPropagation()
                    enter(option.path)
                  }}
                >
                  <Icon name="chevron-right" small />
                </span>
              </div>
            )
          })}
        </div>
      </div>
      {data === undefined && error === null && (
        <p className={styles.note} role="status">
          <Spinner />
          {t('change.looking')}
        </p>
      )}
      {data !== undefined && options.length === up.length && <p className={styles.note}>{t('change.noFolders')}</p>}
      {error !== null && (
        <p className={styles.note} role="alert">
          {describeFailure(error)}
        </p>
      )}
    </div>
  )
}
