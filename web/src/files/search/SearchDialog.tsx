import { parentOf } from '@filestead/contract'
import { Dialog } from 'radix-ui'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { PaletteEntry } from '../../commands/command.ts'
import { useAllCommands } from '../../commands/registry.ts'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { addressOf, folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import type { FoundEntry } from '../../server/queries/search.ts'
import { aboveKeyboard } from '../../ui/above-keyboard.ts'
import { Button, IconButton, Spinner } from '../../ui/Button.tsx'
import { Backdrop, leaveToBackdrop } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FocusReturn } from '../../ui/focus-return.ts'
import { Icon } from '../../ui/Icon.tsx'
import { isComposing, keepOpenWhileComposing } from '../../ui/pressed-key.ts'
import { revealWhenListed, useWorkspace } from '../../workspace/workspace.ts'
import { arrange, type Line, nextLine, openInNewTab } from './lines.ts'
import { PaletteOptions } from './PaletteOptions.tsx'
import { type PaletteOption, paletteOptions, searchId } from './palette.ts'
import { Results, shownResults } from './Results.tsx'
import styles from './SearchDialog.module.css'
import { SearchFilters } from './SearchFilters.tsx'
import { useSearch } from './use-search.ts'

interface Question {
  /** Searched with everything below it. */
  folder: string
  /** Opened to run a command: the first line is marked, and commands that fit stand above files. */
  withCommands: boolean
  /** What the field holds at first. */
  text?: string
  /** What is offered besides files and commands. */
  loadEntries: () => Promise<readonly PaletteEntry[]>
}

/**
 * Finds files, folders, commands, pages of the settings and users while one types. The focus stays in the field, which
 * points at the marked line. Opened as a search, no line is marked by itself: Enter searches, as it always did.
 */
export function SearchDialog({ folder, withCommands, answer, ...question }: QuestionProps<Question, never>) {
  const { t } = useTranslation()
  const [text, setText] = useState(question.text ?? '')
  const [place, setPlace] = useState(folder)
  const [marked, setMarked] = useState<string | null>(null)
  const [shown, setShown] = useState(shownResults)
  /** The text that Enter has searched for. Enter once more lists its results. */
  const [entered, setEntered] = useState<string | null>(null)
  const { state, run, stop } = useSearch(place, text)
  const entries = useEntries(question.loadEntries)
  const workspace = useWorkspace()
  const [cameFrom] = useState(() => document.activeElement)
  const box = useRef<HTMLInputElement>(null)
  const id = useId()
  const close = () => answer(null)

  const query = text.trim()
  const isRunning = state.status === 'running'
  const commands = useAllCommands()
  const options = paletteOptions(text, { workspace, commands, entries, folder: place, withCommands })
  const found = query === '' ? [] : state.found
  const isDone = query !== '' && state.status === 'done'
  const content = { id, options, found: found.slice(0, shown), isDone, withCommands }
  const { ofOptions, ofResults, areOptionsFirst, isNothingFound, lines } = arrange(content)
  const active = lines.find(({ key }) => key === marked) ?? (withCommands ? lines[0] : undefined)

  function change(next: string, { isAtOnce = false } = {}) {
    setText(next)
    setMarked(null)
    setShown(shownResults)
    setEntered(null)
    if (isAtOnce && next.trim() !== '') void run(next.trim(), place)
    box.current?.focus()
  }

  function searchEverywhere(isEverywhere: boolean) {
    setPlace(isEverywhere ? '/' : folder)
    setMarked(null)
    box.current?.focus()
  }

  function submit(event?: FormEvent) {
    event?.preventDefault()
    if (active !== undefined) return void choose(active)
    if (query === '') return
    const all = options.find((option) => option.id === searchId)
    if (entered === query && found.length > 0 && all !== undefined) return chooseOption(all)
    setEntered(query)
    void run(query, place)
  }

  async function choose(line: Line) {
    if ('option' in line) return chooseOption(line.option)
    if (await navigate(addressOf(line.entry))) close()
  }

  function chooseOption(option: PaletteOption) {
    // Gone before the command asks something itself, with the focus back where it came from.
    if (option.closes === 'before') flushSync(close)
    const done = option.run()
    if (option.closes === 'after') void Promise.resolve(done).then((isDone) => isDone !== false && close())
  }

  async function showInFolder({ path }: FoundEntry) {
    revealWhenListed(parentOf(path), path.slice(path.lastIndexOf('/') + 1))
    if (await navigate(folderAddress(parentOf(path)))) close()
  }

  function mark(to: number) {
    // More results are drawn when the mark comes near their end.
    const at = lines[to]
    if (at === undefined) return
    if ('entry' in at && at === ofResults.at(-1)) setShown(shown + shownResults)
    setMarked(at.key)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (isComposing(event.nativeEvent) || event.target !== box.current) return
    if (event.key === 'Enter') {
      // The field that the command opens would hear the rest of this key.
      event.preventDefault()
      // Held down, it does one thing.
      if (event.repeat) return
      if (event.ctrlKey || event.metaKey) openInNewTab(active)
      else if (event.shiftKey && active !== undefined && 'entry' in active) void showInFolder(active.entry)
      else submit()
      return
    }
    const to = nextLine(event, active === undefined ? -1 : lines.indexOf(active), lines.length, withCommands)
    if (to === undefined) return
    event.preventDefault()
    mark(to)
  }

  // In a search the pointer marks nothing: Enter would open what it happens to rest on.
  const onHover = (key: string) => withCommands && setMarked(key)
  const list = (
    <PaletteOptions
      key="options"
      id={`${id}options`}
      lines={ofOptions}
      active={active?.key}
      hasHeadings={query === '' || found.length > 0}
      onMark={onHover}
      onChoose={chooseOption}
    />
  )
  const results = (
    <Results
      key="results"
      id={`${id}results`}
      query={query}
      lines={ofResults}
      active={active?.key}
      onMark={onHover}
      onDone={close}
      onShowInFolder={(entry) => void showInFolder(entry)}
    />
  )

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Backdrop className={styles.scrim} onClose={close} />
        <Dialog.Content
          ref={aboveKeyboard}
          className={styles.palette}
          aria-modal="true"
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onEscapeKeyDown={(event) => {
            keepOpenWhileComposing(event)
            if (event.defaultPrevented || withCommands || marked === null) return
            // First the mark goes, which no palette is without, then the dialog.
            event.preventDefault()
            setMarked(null)
          }}
          onInteractOutside={leaveToBackdrop}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            box.current?.focus()
            box.current?.select()
          }}
          onCloseAutoFocus={(event) => event.preventDefault()}
        >
          <FocusReturn to={cameFrom} />
          <Dialog.Title className={styles.visuallyHidden}>{t('search.search')}</Dialog.Title>
          <form className={styles.query} onSubmit={submit}>
            <Icon name="search" />
            <input
              ref={box}
              type="search"
              className={styles.box}
              aria-label={t('search.search')}
              placeholder={t('search.placeholderWithCommands')}
              value={text}
              dir="auto"
              autoComplete="off"
              spellCheck={false}
              enterKeyHint={withCommands ? 'go' : 'search'}
              onChange={(event) => change(event.target.value)}
              aria-controls={`${id}options ${id}results`}
              aria-activedescendant={active?.id}
              {...(withCommands && {
                role: 'combobox',
                'aria-expanded': lines.length > 0,
                'aria-autocomplete': 'list',
              })}
            />
            {isRunning && <IconButton icon="pause" label={t('search.stop')} small onClick={stop} />}
            <IconButton icon="x" label={t('buttons.close')} small onClick={close} />
          </form>
          <SearchFilters
            text={text}
            onText={(next) => change(next, { isAtOnce: true })}
            isEverywhere={folder === '/' ? null : place === '/'}
            onEverywhere={searchEverywhere}
          />
          <div
            className={styles.out}
            onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
              if (scrollHeight - scrollTop - clientHeight < nearEnd && shown < found.length)
                setShown(shown + shownResults)
            }}
          >
            {areOptionsFirst ? [list, results] : [results, isNothingFound || list]}
            {isNothingFound && (
              <EmptyState
                scene="empty"
                title={t('search.nothingFor', { text: query })}
                text={t('search.nothingIn', { folder: nameOfPlace() })}
                actions={
                  place !== '/' && (
                    <Button look="primary" icon="search" onClick={() => searchEverywhere(true)}>
                      {t('search.searchEverywhere')}
                    </Button>
                  )
                }
              />
            )}
          </div>
          <footer className={styles.foot}>
            <bdi className={styles.scope}>{t('search.in', { folder: nameOfPlace() })}</bdi>
            {isRunning && <Spinner />}
            <span role="status">{statusText()}</span>
            <span className={styles.hints} aria-hidden="true">
              {active !== undefined && 'entry' in active && <kbd>⇧↵ {t('search.showInFolder')}</kbd>}
              {active === undefined && entered === query && found.length > 0 && <kbd>↵ {t('search.listAll')}</kbd>}
            </span>
          </footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )

  function nameOfPlace(): string {
    return place === '/' ? t('frame.myFiles') : place
  }

  function statusText(): string {
    const count = found.length
    if (query === '') return t('search.typeToSearch')
    if (state.status === 'idle') {
      // Of a command there is nothing to say: its name is read.
      const isSearched = active === undefined || 'entry' in active || active.option.id === searchId
      return isSearched ? t('search.pressToSearch') : ''
    }
    if (count > 0) return t('search.results', { count })
    if (isRunning) return t('search.searching')
    return areOptionsFirst ? '' : t('search.noResults')
  }
}

/** The next results are drawn when the end of the list is so many pixels away. */
const nearEnd = 100

/** Pages, users and views are there a moment later than the commands. */
function useEntries(load: Question['loadEntries']): readonly PaletteEntry[] {
  const [entries, setEntries] = useState<readonly PaletteEntry[]>([])
  useEffect(() => {
    let isOpen = true
    // Without them there are still files and commands.
    void load().then(
      (loaded) => isOpen && setEntries(loaded),
      () => {},
    )
    return () => {
      isOpen = false
    }
  }, [load])
  return entries
}
