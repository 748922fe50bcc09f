import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type RunningCommand, runCommand } from '../../api/commands.ts'
import { refreshFolders } from '../../api/resources.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { noHistory, remember, shownLine, step } from './history.ts'
import { showShell } from './open.ts'
import { addLine, type Line } from './output.ts'
import styles from './ShellPanel.module.css'
import { ShellResizer } from './ShellResizer.tsx'

const startHeight = 280

/** Commands in the folder in view, when the server allows them. Always left to right: programs write that way. */
export function ShellPanel({ folder }: { folder: string }) {
  const { t } = useTranslation()
  const [height, setHeight] = useState(startHeight)
  const [lines, setLines] = useState<readonly Line[]>([])
  const [typed, setTyped] = useState('')
  const [history, setHistory] = useState(noHistory)
  const [running, setRunning] = useState<RunningCommand | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const output = useRef<HTMLDivElement>(null)
  const isBusy = running !== null

  useEffect(() => {
    if (!isBusy) input.current?.focus()
  }, [isBusy])

  useEffect(() => () => running?.stop(), [running])

  // biome-ignore lint/correctness/useExhaustiveDependencies: every new line brings the end into view
  useEffect(() => {
    output.current?.scrollTo({ top: output.current.scrollHeight })
  }, [lines])

  const say = (kind: Line['kind'], text: string) => setLines((now) => addLine(now, kind, text))

  function submit(event: FormEvent) {
    event.preventDefault()
    const line = typed.trim()
    if (line === '' || isBusy) return
    setTyped('')
    setHistory((now) => remember(now, line))
    if (line === 'clear') return setLines([])
    if (line === 'exit') return showShell(false)
    say('command', line)
    setRunning(
      runCommand(folder, line, {
        onLine: (text) => say('output', text),
        onEnd(reason) {
          if (reason !== '' && reason !== '0') say('end', t('shell.ended', { reason }))
          setRunning(null)
          void refreshFolders(folder)
        },
      }),
    )
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    const next = step(history, event.key === 'ArrowUp' ? -1 : 1, typed)
    setHistory(next)
    setTyped(shownLine(next))
  }

  return (
    <section
      aria-label={t('shell.shell')}
      aria-busy={isBusy}
      className={`shell ${styles.shell}`}
      dir="ltr"
      style={{ blockSize: height }}
    >
      <ShellResizer label={t('shell.resize')} height={height} onResize={setHeight} />
      <div ref={output} role="log" aria-label={t('shell.output')} className={styles.output}>
        {lines.map(({ id, kind, text }) => (
          <pre key={id} className={styles.line} data-kind={kind}>
            {text}
          </pre>
        ))}
      </div>
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
