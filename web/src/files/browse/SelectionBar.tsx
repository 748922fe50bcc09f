import type { Command, CommandId } from '../../commands/command.ts'
import { hintOf } from '../../commands/keyboard.ts'
import { run, useCommandsIn } from '../../commands/registry.ts'
import { useProgressOf } from '../../commands/running.ts'
import { formatNumber, formatSize } from '../../i18n/format.ts'
import type { TextKey } from '../../i18n/i18n.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { ButtonIcon, IconButton } from '../../ui/Button.tsx'
import { useMedia } from '../../ui/media.ts'
import { Toolbar } from '../../ui/Toolbar.tsx'
import { clearSelection, useWorkspace } from '../../workspace/workspace.ts'
import styles from './Toolbars.module.css'

/** Left out where the toolbar of the folder is visible, or the menu "More" has it: so the words fit into one row. */
const elsewhere: Readonly<Record<'phone' | 'short' | 'whole', readonly CommandId[]>> = {
  phone: ['info'],
  short: ['info', 'download'],
  whole: [],
}

/** Commands for the selection. In the free room of the toolbar, or over it; on touch screens a sheet at the bottom. */
export function SelectionBar({ isWhole }: { isWhole: boolean }) {
  const { t } = useTranslation()
  const isPhone = useMedia('narrow')
  const left = elsewhere[isPhone ? 'phone' : isWhole ? 'whole' : 'short']
  const commands = useCommandsIn('selection').filter(({ id }) => !left.includes(id))
  const isListing = useWorkspace(({ view }) => view === 'listing')
  const count = useWorkspace(({ selection }) => selection.names.size)
  const bytes = useWorkspace(({ chosenBytes }) => chosenBytes)
  if (count === 0 || !isListing) return null

  return (
    <Toolbar label={t('files.selectionActions')} className={styles.selection} id="file-selection">
      <IconButton small icon="x" label={t('files.clearSelection')} hint="Esc" onClick={clearSelection} />
      {/* The page's live region announces the number. This one is another element each time, which is not announced. */}
      <span key={count} role="status" className={styles.chosen}>
        {t('files.selected', { count })}
      </span>
      {bytes > 0 && <bdi className={styles.bytes}>{formatSize(bytes)}</bdi>}
      <span className={styles.break} />
      {commands.map((command) => (
        <SelectionCommand key={command.id} command={command} />
      ))}
    </Toolbar>
  )
}

function SelectionCommand({ command }: { command: Command }) {
  const { t } = useTranslation()
  const isSheet = useMedia('sheet')
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
      title={hint === undefined ? label : `${label} (${hint})`}
      onClick={() => void run(command)}
    >
      <ButtonIcon icon={command.icon} progress={progress} />
      <span>{t((isSheet && shortLabels[command.id]) || command.label)}</span>
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

/** A sheet has room for one word each. */
const shortLabels: Partial<Record<CommandId, TextKey>> = { copy: 'change.copy', move: 'change.move' }

/** The names that installed custom style sheets use. */
const buttonIds: Partial<Record<CommandId, string>> = {
  copy: 'copy-button',
  move: 'move-button',
  delete: 'delete-button',
}
