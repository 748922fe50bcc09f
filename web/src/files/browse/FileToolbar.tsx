import type { Command, CommandId } from '../../commands/command.ts'
import { hintOf } from '../../commands/command-keys.ts'
import { run, useCommandsIn, useOffered } from '../../commands/registry.ts'
import { useProgressOf } from '../../commands/running.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useUser } from '../../server/session.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Toolbar } from '../../ui/Toolbar.tsx'
import { clipboard } from '../../workspace/clipboard.ts'
import { useSortSections } from '../grid/list-order.ts'
import { useSelectedCount } from './SelectionBar.tsx'
import styles from './Toolbars.module.css'
import { nextViewMode, useViewSections, viewModeOf, viewModes } from './view-options.ts'

interface FileToolbarProps {
  /** The selection bar lies over it. */
  isCovered: boolean
  /** Commands that the selection bar has as well are left out then, and their place stays free. */
  isSelecting: boolean
  /** Those that it leaves to this toolbar. */
  stays: readonly CommandId[]
  /** There is room for names beside the icons. */
  hasWords: boolean
}

/**
 * Commands for the folder in view and the selection. The buttons never move: Download stands before the selection bar,
 * the others at the end of the row.
 */
export function FileToolbar({ isCovered, isSelecting, stays, hasWords }: FileToolbarProps) {
  const { t } = useTranslation()
  // What is held decides whether pasting is offered.
  clipboard.use()
  const viewMode = viewModeOf(useUser().viewMode)
  const upload = useOffered('upload')
  const switchView = useOffered('switch-view')
  const ofSelection = useCommandsIn('selection')
  const rest = useCommandsIn('toolbar').filter(({ id }) => id !== 'upload' && id !== 'switch-view')
  const isFree = (command: Command) => isSelecting && ofSelection.includes(command) && !stays.includes(command.id)
  const place = (command: Command) => (
    <span key={command.id} className={styles.place} data-free={isFree(command)}>
      <ToolbarCommand command={command} hasWord={command.id === 'download' || hasWords} />
    </span>
  )
  const next = viewModes.find(({ mode }) => mode === nextViewMode(viewMode))

  return (
    <Toolbar id="dropdown" label={t('files.fileActions')} className={styles.files} data-covered={isCovered}>
      <span className={styles.start}>{upload !== undefined && <UploadButton command={upload} />}</span>
      <span className={styles.middle}>{rest.filter(({ id }) => id === 'download').map(place)}</span>
      <span className={styles.end}>
        {rest.filter(({ id }) => id !== 'download').map(place)}
        <span className={styles.rule} />
        {viewMode !== 'list' && <SortMenu />}
        {switchView !== undefined && (
          <IconButton
            small
            icon={next?.icon ?? 'list'}
            label={t(switchView.label)}
            tip={next === undefined ? undefined : `${t(switchView.label)} · ${t(next.label)}`}
            onClick={() => void run(switchView)}
          />
        )}
        <ViewMenu />
      </span>
    </Toolbar>
  )
}

/** Two halves: files, and a folder. */
function UploadButton({ command }: { command: Command }) {
  const { t } = useTranslation()
  const folder = useOffered('upload-folder')
  return (
    <span className={styles.split}>
      <Button
        look="primary"
        size="small"
        icon={command.icon}
        progress={useProgressOf(command.id)}
        id="upload-button"
        onClick={() => void run(command)}
      >
        {t(command.label)}
      </Button>
      {folder !== undefined && (
        <IconButton small icon={folder.icon} label={t(folder.label)} onClick={() => void run(folder)} />
      )}
    </span>
  )
}

function ToolbarCommand({ command, hasWord }: { command: Command; hasWord: boolean }) {
  const { t } = useTranslation()
  const { badge, description } = useSelectedCount(command.id)
  const isOn = command.toggle?.useIsOn()
  const label = t(command.label)
  const hint = hintOf(command)
  const common = {
    icon: command.icon,
    progress: useProgressOf(command.id),
    badge,
    'aria-description': description,
    ...(command.toggle && { [command.toggle.says]: isOn }),
    onClick: () => void run(command),
  }
  if (!hasWord) return <IconButton small label={label} hint={hint} {...common} />
  return (
    <Button size="small" aria-label={label} data-tip={hint && label} data-keys={hint} {...common}>
      {label}
    </Button>
  )
}

function SortMenu() {
  const { t } = useTranslation()
  return (
    <Menu
      label={t('files.sort')}
      align="end"
      sections={useSortSections()}
      trigger={<IconButton small icon="sort" label={t('files.sort')} />}
    />
  )
}

function ViewMenu() {
  const { t } = useTranslation()
  return (
    <Menu
      label={t('files.viewOptions')}
      align="end"
      sections={useViewSections()}
      trigger={<IconButton small icon="sliders" label={t('files.viewOptions')} />}
    />
  )
}
