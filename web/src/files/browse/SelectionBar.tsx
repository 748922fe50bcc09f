import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Command, CommandId } from '../../commands/command.ts'
import { hintOf } from '../../commands/command-keys.ts'
import { run, useCommandsIn } from '../../commands/registry.ts'
import { useProgressOf } from '../../commands/running.ts'
import { formatNumber, formatSize } from '../../i18n/format.ts'
import type { TextKey } from '../../i18n/i18n.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { ButtonIcon, IconButton } from '../../ui/Button.tsx'
import { Toolbar } from '../../ui/Toolbar.tsx'
import { clearSelection, useWorkspace } from '../../workspace/workspace.ts'
import styles from './Toolbars.module.css'

/** Commands for the selection. In the free room of the toolbar, or over it; on touch screens a sheet at the bottom. */
export function SelectionBar({ leftOut }: { leftOut: readonly CommandId[] }) {
  const { t } = useTranslation()
  const commands = useCommandsIn('selection').filter(({ id }) => !leftOut.includes(id))
  const isListing = useWorkspace(({ view }) => view === 'listing')
  const count = useWorkspace(({ selection }) => selection.names.size)
  const bytes = useWorkspace(({ chosenBytes }) => chosenBytes)
  const inside = useRef<HTMLSpanElement>(null)
  useWordsThatFit(inside, [count, bytes, ...commands.map(({ label }) => t(label))].join())
  if (count === 0 || !isListing) return null

  return (
    <Toolbar label={t('files.selectionActions')} className={styles.selection} id="file-selection">
      <IconButton small icon="x" label={t('files.clearSelection')} hint="Esc" onClick={clearSelection} />
      {/* The page's live region announces the number. This one is another element each time, which is not announced. */}
      <span key={count} role="status" className={styles.chosen}>
        {t('files.selected', { count })}
      </span>
      {bytes > 0 && <bdi className={styles.bytes}>{formatSize(bytes)}</bdi>}
      <span ref={inside} className={styles.break} />
      {commands.map((command) => (
        <SelectionCommand key={command.id} command={command} />
      ))}
    </Toolbar>
  )
}

/**
 * The bar shows all words of its buttons, or none where a language has long ones, never a part of one. The size gives way
 * first: files and folders, which have none, show the same words.
 */
function useWordsThatFit(inside: RefObject<HTMLElement | null>, texts: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other texts have other widths
  useLayoutEffect(() => {
    const bar = inside.current?.parentElement
    if (bar == null) return
    const fit = () => {
      for (const words of ['true', 'only', 'false']) {
        bar.dataset.words = words
        if (bar.scrollWidth <= bar.clientWidth) break
      }
    }
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(bar)
    return () => observer.disconnect()
  }, [inside, texts])
}

function SelectionCommand({ command }: { command: Command }) {
  const { t } = useTranslation()
  const progress = useProgressOf(command.id)
  const { badge, description } = useSelectedCount(command.id)
  const label = t(command.label)
  const hint = hintOf(command)
  return (
    <button
      type="button"
      id={buttonIds[command.id]}
      className={`action ${styles.action}`}
      data-danger={command.isDanger}
      data-progress={progress}
      data-badge={badge}
      aria-busy={progress === 'running' || undefined}
      aria-label={label}
      aria-description={description}
      data-tip={t(command.shown ?? command.label)}
      data-keys={hint}
      onClick={() => void run(command)}
    >
      <ButtonIcon icon={command.icon} progress={progress} />
      <span>{t(shortLabels[command.id] ?? command.label)}</span>
    </button>
  )
}

/** What the button "Download" says about the selection: a number to see, and a description to hear. */
export function useSelectedCount(id: CommandId): { badge?: string; description?: string } {
  const { t } = useTranslation()
  const count = useWorkspace(({ selection }) => (id === 'download' ? selection.names.size : 0))
  if (count === 0) return {}
  const badge = count > most ? `${formatNumber(most)}+` : formatNumber(count)
  return { badge, description: t('files.selected', { count }) }
}

/** A badge has room for three digits. */
const most = 999

/** One word each: what is selected stands beside it. */
const shortLabels: Partial<Record<CommandId, TextKey>> = { copy: 'change.copy', move: 'change.move' }

/** The names that installed custom style sheets use. */
const buttonIds: Partial<Record<CommandId, string>> = {
  copy: 'copy-button',
  move: 'move-button',
  delete: 'delete-button',
}
