import { Dialog } from 'radix-ui'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PromptProps } from '../../prompts/prompts.ts'
import { IconButton, Spinner } from '../../ui/Button.tsx'
import { Backdrop, leaveToBackdrop } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Commands } from './Commands.tsx'
import { Results } from './Results.tsx'
import styles from './SearchPrompt.module.css'
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
  /** Also offers what can be done here, by name. */
  withCommands: boolean
}

export function SearchPrompt({ folder, withCommands, answer }: PromptProps<Question, never>) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const { state, run, stop, reset } = useSearch(folder)
  const box = useRef<HTMLInputElement>(null)
  const close = () => answer(null)
  const isRunning = state.status === 'running'

  function change(next: string) {
    setText(next)
    reset()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (text.trim() !== '') void run(text.trim())
  }

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Backdrop className={styles.scrim} onClose={close} />
        <Dialog.Content
          id="search"
          className={styles.palette}
          aria-modal="true"
          aria-describedby={undefined}
          onKeyDown={moveByArrows}
          onInteractOutside={leaveToBackdrop}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            box.current?.focus()
          }}
        >
          <Dialog.Title className={styles.unseen}>{t('search.search')}</Dialog.Title>
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
              enterKeyHint="search"
              data-item=""
              onChange={(event) => change(event.target.value)}
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
            {withCommands && state.status === 'idle' && <Commands text={text} onDone={close} />}
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
              {t(statusKey(text, state.status, state.hits.length), { count: state.hits.length })}
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

/** Up and down walk from the box through commands and results. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-item]')]
  const now = items.indexOf(document.activeElement as HTMLElement)
  const next = items[Math.min(items.length - 1, Math.max(0, now + (event.key === 'ArrowDown' ? 1 : -1)))]
  event.preventDefault()
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
