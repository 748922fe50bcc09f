import { type FormEvent, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { describeFailure } from '../dialogs/show-failure.ts'
import { t, useTranslation } from '../i18n/i18n.ts'
import { refreshFolders } from '../server/queries/resources.ts'
import { type CommandEnd, type RunningCommand, runCommand } from '../server/shell-socket.ts'
import { aboveKeyboard } from '../ui/above-keyboard.ts'
import { IconButton } from '../ui/Button.tsx'
import { isFocusNowhere } from '../ui/focus-return.ts'
import { Icon } from '../ui/Icon.tsx'
import { isComposing } from '../ui/pressed-key.ts'
import { noHistory, remember, shownLine, step } from './history.ts'
import { useOutput } from './output.ts'
import { ShellOutput } from './ShellOutput.tsx'
import styles from './ShellPanel.module.css'
import { ShellResizer } from './ShellResizer.tsx'
import { showShell } from './toggle-shell.ts'

const startHeight = 280

/** Runs commands in the folder in view. Always left to right, as programs print. */
export function ShellPanel({ folder }: { folder: string }) {
  const { t } = useTranslation()
  const [height, setHeight] = useState(startHeight)
  const { blocks, print, clear } = useOutput()
  const [commands, setCommands] = useState(0)
  const [typed, setTyped] = useState('')
  const [history, setHistory] = useState(noHistory)
  const [running, setRunning] = useState<RunningCommand | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const isBusy = running !== null

  /** At the beginning, and after a command, unless the person has gone elsewhere meanwhile. */
  const takeFocus = useEffectEvent(() => {
    if (commands === 0 || isFocusNowhere()) input.current?.focus()
  })
  useEffect(() => {
    if (!isBusy) takeFocus()
  }, [isBusy])

  useEffect(() => () => running?.stop(), [running])

  function submit(event: FormEvent) {
    event.preventDefault()
    const line = typed.trim()
    if (line === '' || isBusy) return
    setTyped('')
    setHistory((now) => remember(now, line))
    if (line === 'clear') return clear()
    if (line === 'exit') return showShell(false)
    setCommands((count) => count + 1)
    print('command', line)
    setRunning(
      runCommand(folder, line, {
        onLine: (text) => print('output', text),
        onEnd(end) {
          const text = describeEnd(end)
          if (text !== null) print('end', text)
          setRunning(null)
          void refreshFolders(folder)
        },
      }),
    )
  }

  function onKeyDown(event: KeyboardEvent) {
    if ((event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || isComposing(event.nativeEvent)) return
    event.preventDefault()
    const next = step(history, event.key === 'ArrowUp' ? -1 : 1, typed)
    setHistory(next)
    setTyped(shownLine(next))
  }

  return (
    <section
      ref={aboveKeyboard}
      aria-label={t('shell.shell')}
      aria-busy={isBusy}
      className={`shell ${styles.shell}`}
      dir="ltr"
      style={{ blockSize: `calc(${height}px + var(--keyboard, 0px))` }}
    >
      <ShellResizer label={t('shell.resize')} height={height} onResize={setHeight} />
      <ShellOutput blocks={blocks} commands={commands} />
      <form className={styles.entry} onSubmit={submit}>
        <Icon name="chevron-right" small />
        <input
          ref={input}
          className={styles.input}
          aria-label={t('shell.command')}
          value={typed}
          disabled={isBusy}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isBusy && <IconButton icon="x" label={t('shell.stop')} small onClick={() => running.stop()} />}
        <IconButton icon="chevron-down" label={t('shell.hide')} small onClick={() => showShell(false)} />
      </form>
    </section>
  )
}

/** `null` for a command that ended well, or was stopped here. */
function describeEnd(end: CommandEnd): string | null {
  switch (end.kind) {
    case 'ended':
      return ['', 'exit status 0'].includes(end.reason) ? null : t('shell.ended', { reason: end.reason })
    case 'refused':
      return end.error === null ? t('shell.noSocket') : describeFailure(end.error)
    case 'connection-lost':
      return t('failures.noConnection')
  }
}
