import { Dialog } from 'radix-ui'
import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { IconButton, Spinner } from '../../ui/Button.tsx'
import { Backdrop, leaveToBackdrop } from '../../ui/Dialog.tsx'
import { FocusReturn } from '../../ui/focus-return.ts'
import { Icon } from '../../ui/Icon.tsx'
import { isComposing, keepOpenWhileComposing } from '../../ui/pressed-key.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { optionId, PaletteOptions } from './PaletteOptions.tsx'
import { type PaletteOption, paletteOptions } from './palette.ts'
import { Results } from './Results.tsx'
import styles from './SearchDialog.module.css'
import { useSearch } from './use-search.ts'

const filters = [
  { label: 'search.images', token: 'type:image', icon: 'image' },
  { label: 'search.music', token: 'type:music', icon: 'music' },
  { label: 'search.video', token: 'type:video', icon: 'video' },
  { label: 'search.pdf', token: 'type:pdf', icon: 'pdf' },
] as const

interface Question {
  /** Searched with everything below it. */
  folder: string
  /** The command palette: commands first, and the search as the last of its options. */
  withCommands: boolean
}

/** The search box, in which Enter searches; and the palette, in which Enter runs what is active. */
export function SearchDialog({ folder, withCommands, answer }: QuestionProps<Question, never>) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const { state, run, stop, reset } = useSearch(folder)
  const workspace = useWorkspace()
  const [cameFrom] = useState(() => document.activeElement)
  const box = useRef<HTMLInputElement>(null)
  const listId = useId()
  const close = () => answer(null)
  const isRunning = state.status === 'running'
  const isPalette = withCommands && state.status === 'idle'
  const options = isPalette ? paletteOptions(text, workspace, (wanted) => void run(wanted)) : []
  const chosen = options[active]

  function change(next: string) {
    setText(next)
    setActive(0)
    reset()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPalette) choose(chosen)
    else if (text.trim() !== '') void run(text.trim())
  }

  function choose(option: PaletteOption | undefined) {
    // Gone before the command asks something itself, with the focus back where it came from.
    if (option?.closes === 'before') flushSync(close)
    const done = option?.run()
    if (option?.closes === 'after') void Promise.resolve(done).then((isDone) => isDone !== false && close())
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (isComposing(event.nativeEvent)) return
    if (!isPalette) return moveByArrows(event)
    if (event.target !== box.current) return
    if (event.key === 'Enter') {
      // The field that the command opens would hear the rest of this key.
      event.preventDefault()
      return choose(chosen)
    }
    const to = nextActive(event, active, options.length)
    if (to === undefined) return
    event.preventDefault()
    setActive(to)
  }

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Backdrop className={styles.scrim} onClose={close} />
        <Dialog.Content
          className={styles.palette}
          aria-modal="true"
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onEscapeKeyDown={keepOpenWhileComposing}
          onInteractOutside={leaveToBackdrop}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            box.current?.focus()
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
              placeholder={withCommands ? t('search.placeholderWithCommands') : t('search.placeholder')}
              value={text}
              dir="auto"
              autoComplete="off"
              spellCheck={false}
              enterKeyHint={isPalette ? 'go' : 'search'}
              data-item=""
              onChange={(event) => change(event.target.value)}
              {...(isPalette && {
                role: 'combobox',
                'aria-expanded': options.length > 0,
                'aria-autocomplete': 'list',
                'aria-controls': listId,
                'aria-activedescendant': chosen && optionId(listId, active),
              })}
            />
            {isRunning && <IconButton icon="pause" label={t('search.stop')} small onClick={stop} />}
            <IconButton icon="x" label={t('buttons.close')} small onClick={close} />
          </form>
          <div className={styles.filters}>
            {filters.map(({ label, token, icon }) => (
              <button
                key={token}
                type="button"
                className={styles.filter}
                onClick={() => {
                  change(`${token} ${text.replace(/\btype:\S*\s*/g, '')}`)
                  box.current?.focus()
                }}
              >
                <Icon name={icon} small />
                {t(label)}
              </button>
            ))}
          </div>
          <div className={styles.out}>
            {isPalette && (
              <PaletteOptions id={listId} options={options} active={active} onActive={setActive} onChoose={choose} />
            )}
            {state.status !== 'idle' && (
              <Results folder={folder} query={state.query} hits={state.hits} onDone={close} />
            )}
          </div>
          <footer className={styles.foot}>
            <bdi className={styles.scope}>
              {t('search.in', { folder: folder === '/' ? t('frame.myFiles') : folder })}
            </bdi>
            {isRunning && <Spinner />}
            <span role="status">
              {/* Of a command there is nothing to say: its name is read. */}
              {(!isPalette || text.trim() === '' || chosen?.closes === 'never') &&
                t(statusKey(text, state.status, state.hits.length), { count: state.hits.length })}
            </span>
          </footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function statusKey(text: string, status: 'idle' | 'running' | 'done', count: number) {
  if (text.trim() === '') return 'search.typeToSearch'
  if (status === 'idle') return 'search.pressToSearch'
  if (count === 0) return status === 'running' ? 'search.searching' : 'search.noResults'
  return 'search.results'
}

/** The option that a key leads to. The arrows go round. */
function nextActive(event: KeyboardEvent, active: number, count: number): number | undefined {
  if (count === 0 || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return undefined
  switch (event.key) {
    case 'ArrowDown':
      return (active + 1) % count
    case 'ArrowUp':
      return (active + count - 1) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

/** Up and down walk from the box through the results. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-item]')]
  const now = items.indexOf(document.activeElement as HTMLElement)
  const next = items[Math.min(items.length - 1, Math.max(0, now + (event.key === 'ArrowDown' ? 1 : -1)))]
  event.preventDefault()
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
