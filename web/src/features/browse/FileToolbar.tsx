import { useTranslation } from 'react-i18next'
import type { FileAction } from '../../actions/action.ts'
import { availableActions, perform } from '../../actions/registry.ts'
import { shownShortcut } from '../../actions/shortcuts.ts'
import { useUser } from '../../api/session.ts'
import { usePlace } from '../../place/place.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Toolbar } from '../../ui/Toolbar.tsx'
import { wholeBar } from './SelectionBar.tsx'
import styles from './Toolbars.module.css'
import { nextViewMode, viewModeOf, viewModes } from './view-mode.ts'
import { useSortSections, useViewSections } from './view-sections.ts'

interface FileToolbarProps {
  /** The bar of what is chosen lies over it. */
  isCovered: boolean
  /** What that bar has as well is left out, and its place stays free. */
  isShort: boolean
}

/** What can be done with the folder in view, or with what is chosen in it. Its buttons never move. */
export function FileToolbar({ isCovered, isShort }: FileToolbarProps) {
  const { t } = useTranslation()
  const place = usePlace()
  const viewMode = viewModeOf(useUser().viewMode)
  const [upload] = availableActions(place, ['upload'])
  const [switchView] = availableActions(place, ['switch-view'])
  const rest = availableActions(place, ['download', 'info', 'select-multiple', 'toggle-shell'])
  const next = viewModes.find(({ mode }) => mode === nextViewMode(viewMode))

  return (
    <Toolbar id="dropdown" label={t('files.fileActions')} className={styles.files} data-covered={isCovered}>
      <span className={styles.start}>
        {upload !== undefined && (
          <Button
            look="primary"
            size="small"
            icon={upload.icon}
            id="upload-button"
            onClick={() => void perform(upload)}
          >
            {t(upload.label)}
          </Button>
        )}
      </span>
      <span className={styles.end}>
        {rest.map((action) => (
          <span key={action.id} className={styles.place} data-free={isShort && wholeBar.includes(action.id)}>
            <ToolbarAction action={action} />
          </span>
        ))}
        <span className={styles.rule} />
        {viewMode !== 'list' && <SortMenu />}
        {switchView !== undefined && (
          <IconButton
            small
            icon={next?.icon ?? 'list'}
            label={t(switchView.label)}
            onClick={() => void perform(switchView)}
          />
        )}
        <ViewMenu />
      </span>
    </Toolbar>
  )
}

function ToolbarAction({ action }: { action: FileAction }) {
  const { t } = useTranslation()
  const count = usePlace().selection.names.size
  const isOn = action.toggle?.useIsOn()
  return (
    <IconButton
      small
      icon={action.icon}
      label={t(action.label)}
      hint={action.shortcut === undefined ? undefined : shownShortcut(action.shortcut)}
      aria-description={action.id === 'download' && count > 0 ? t('files.selected', { count }) : undefined}
      {...(action.toggle && { [action.toggle.says]: isOn })}
      onClick={() => void perform(action)}
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
