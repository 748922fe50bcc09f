import type { Command } from '../../commands/command.ts'
import { hintOf } from '../../commands/keyboard.ts'
import { run, useCommandsIn, useOffered } from '../../commands/registry.ts'
import { useProgressOf } from '../../commands/running.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useUser } from '../../server/session.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Toolbar } from '../../ui/Toolbar.tsx'
import { useSelectedCount } from './SelectionBar.tsx'
import styles from './Toolbars.module.css'
import { nextViewMode, useSortSections, useViewSections, viewModeOf, viewModes } from './view-options.ts'

interface FileToolbarProps {
  /** The selection bar lies over it. */
  isCovered: boolean
  /** Commands that the selection bar has as well are left out, and their place stays free. */
  isShort: boolean
}

/** Commands for the folder in view and the selection. The buttons never move. */
export function FileToolbar({ isCovered, isShort }: FileToolbarProps) {
  const { t } = useTranslation()
  const viewMode = viewModeOf(useUser().viewMode)
  const upload = useOffered('upload')
  const switchView = useOffered('switch-view')
  const ofSelection = useCommandsIn('selection')
  const rest = useCommandsIn('toolbar').filter(({ id }) => id !== 'upload' && id !== 'switch-view')
  const next = viewModes.find(({ mode }) => mode === nextViewMode(viewMode))

  return (
    <Toolbar id="dropdown" label={t('files.fileActions')} className={styles.files} data-covered={isCovered}>
      <span className={styles.start}>{upload !== undefined && <UploadButton command={upload} />}</span>
      <span className={styles.end}>
        {rest.map((command) => (
          <span key={command.id} className={styles.place} data-free={isShort && ofSelection.includes(command)}>
            <ToolbarCommand command={command} />
          </span>
        ))}
        <span className={styles.rule} />
        {viewMode !== 'list' && <SortMenu />}
        {switchView !== undefined && (
          <IconButton
            small
            icon={next?.icon ?? 'list'}
            label={t(switchView.label)}
            onClick={() => void run(switchView)}
          />
        )}
        <ViewMenu />
      </span>
    </Toolbar>
  )
}

function UploadButton({ command }: { command: Command }) {
  const { t } = useTranslation()
  return (
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
  )
}

function ToolbarCommand({ command }: { command: Command }) {
  const { t } = useTranslation()
  const { badge, description } = useSelectedCount(command.id)
  const isOn = command.toggle?.useIsOn()
  return (
    <IconButton
      small
      icon={command.icon}
      label={t(command.label)}
      hint={hintOf(command)}
      badge={badge}
      progress={useProgressOf(command.id)}
      aria-description={description}
      {...(command.toggle && { [command.toggle.says]: isOn })}
      onClick={() => void run(command)}
    />
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
