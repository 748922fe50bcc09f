import type { ReactNode } from 'react'
import type { Command } from '../../commands/command.ts'
import { hintOf } from '../../commands/command-keys.ts'
import { run, useSectionsOf } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { IconButton } from '../../ui/Button.tsx'
import type { GlyphName } from '../../ui/glyphs.tsx'
import { Menu, type MenuItem } from '../../ui/Menu.tsx'
import styles from './Preview.module.css'

export interface HeaderAction {
  id: string
  label: string
  icon: GlyphName
  shortcut?: string | undefined
  isDanger?: boolean | undefined
  run(): void
}

interface HeaderProps {
  name: string
  /** Such as "4 / 12", or nothing. */
  position: string | null
  /** Actions of this kind of file alone. */
  own: readonly HeaderAction[]
  /** Is the file among those that are selected in its folder, and how many are there? */
  picks: { isPicked: boolean; count: number; onToggle(): void }
  /** The buttons to the neighbours, where they are not at the sides. */
  steps?: ReactNode
  onClose(): void
}

/** Name and actions. On a phone most of them are behind one button, under the same names. */
export function Header({ name, position, own, picks, steps, onClose }: HeaderProps) {
  const { t } = useTranslation()
  const toActions = (sections: readonly Command[][]): HeaderAction[][] =>
    sections.map((section) =>
      section.map((command) => ({
        id: command.id,
        label: t(command.label),
        icon: command.icon,
        shortcut: hintOf(command),
        isDanger: command.isDanger,
        run: () => void run(command),
      })),
    )
  const changes = toActions(useSectionsOf('viewer'))
  const change = changes.flat()
  const keep = toActions(useSectionsOf('viewer-bar')).flat()
  const folded = [...changes.slice(0, -1), own, ...changes.slice(-1)]

  return (
    <header className={styles.header} data-bar>
      <IconButton icon="x" label={t('buttons.close')} hint="Esc" onClick={onClose} />
      <div className={styles.title}>
        <h2 title={name}>
          <bdi>{name}</bdi>
        </h2>
        <span className={styles.position}>
          {position}
          {picks.count > 0 && <span className={styles.picked}>{t('files.selected', { count: picks.count })}</span>}
        </span>
      </div>
      {steps}
      <IconButton
        icon="select"
        label={withoutMarks(t('files.select', { name }))}
        hint="X"
        aria-pressed={picks.isPicked}
        onClick={picks.onToggle}
      />
      <div className={styles.wideOnly}>
        {change.map(toButton)}
        {change.length > 0 && own.length + keep.length > 0 && <span className={styles.rule} />}
        {own.map(toButton)}
      </div>
      {keep.map(toButton)}
      {folded.some((section) => section.length > 0) && (
        <div className={styles.narrowOnly}>
          <Menu
            label={t('preview.more')}
            align="end"
            trigger={<IconButton icon="more" label={t('preview.more')} />}
            sections={folded.map((section) => section.map(toItem))}
          />
        </div>
      )}
    </header>
  )
}

const toButton = ({ id, label, icon, shortcut, run }: HeaderAction) => (
  <IconButton key={id} icon={icon} label={label} {...(shortcut !== undefined && { hint: shortcut })} onClick={run} />
)

const toItem = ({ id, label, icon, shortcut, isDanger, run }: HeaderAction): MenuItem => ({
  id,
  label,
  icon,
  ...(shortcut !== undefined && { shortcut }),
  ...(isDanger === true && { isDanger }),
  onSelect: run,
})
