import { useEffect, useRef } from 'react'
import { type TextKey, useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import type { OptionLine } from './lines.ts'
import styles from './PaletteOptions.module.css'
import type { OptionGroup, PaletteOption } from './palette.ts'

interface PaletteOptionsProps {
  id: string
  lines: readonly OptionLine[]
  active: string | undefined
  /** The groups are named; of a few fitting lines each explains itself. */
  hasHeadings: boolean
  onMark: (key: string) => void
  onChoose: (option: PaletteOption) => void
}

const headings: Record<OptionGroup, TextKey> = {
  commands: 'search.commands',
  recent: 'search.recent',
  places: 'frame.files',
  view: 'files.viewOptions',
  settings: 'frame.settings',
  users: 'search.users',
  search: 'search.search',
}

/** The list below the field, which has the focus and says which option is active. */
export function PaletteOptions({ id, lines, active, hasHeadings, onMark, onChoose }: PaletteOptionsProps) {
  const { t } = useTranslation()
  const groups = Map.groupBy(lines, ({ option }) => option.group)
  return (
    <div id={id} role="listbox" aria-label={t('search.commands')} className={styles.list} tabIndex={-1}>
      {[...groups].map(([group, own]) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options is no fieldset
        <div key={group} role="group" aria-label={t(headings[group])}>
          {hasHeadings && group !== 'search' && (
            <div className={styles.heading} aria-hidden="true">
              {t(headings[group])}
            </div>
          )}
          {own.map((line) => (
            <Option
              key={line.key}
              id={line.id}
              option={line.option}
              isActive={line.key === active}
              onMark={() => onMark(line.key)}
              onChoose={() => onChoose(line.option)}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

interface OptionProps extends Omit<OptionLine, 'key'> {
  isActive: boolean
  onMark: () => void
  onChoose: () => void
}

function Option({ id, option, isActive, onMark, onChoose }: OptionProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard
    // biome-ignore lint/a11y/useFocusableInteractive: the field points at it instead
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles.option}
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => isActive || onMark()}
      onClick={onChoose}
    >
      <Icon name={option.icon} />
      <span className={styles.label}>
        <bdi>{option.label}</bdi>
      </span>
      {option.detail !== undefined && <bdi className={styles.detail}>{option.detail}</bdi>}
      {option.keys !== undefined && (
        <span className={styles.keys} aria-hidden="true">
          {option.keys}
        </span>
      )}
    </div>
  )
}
