import { useEffect, useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './PaletteOptions.module.css'
import type { PaletteOption } from './palette.ts'

interface PaletteOptionsProps {
  id: string
  options: readonly PaletteOption[]
  active: number
  onActive: (index: number) => void
  onChoose: (option: PaletteOption) => void
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`

/** The list below a combobox, which has the focus and says which option is active. */
export function PaletteOptions({ id, options, active, onActive, onChoose }: PaletteOptionsProps) {
  const { t } = useTranslation()
  const list = useRef<HTMLDivElement>(null)

  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])

  return (
    <div ref={list} id={id} role="listbox" aria-label={t('search.commands')} className={styles.list} tabIndex={-1}>
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keyboard
        // biome-ignore lint/a11y/useFocusableInteractive: the combobox points at it instead
        <div
          key={option.id}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          className={styles.option}
          // The focus stays in the combobox.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => index !== active && onActive(index)}
          onClick={() => onChoose(option)}
        >
          <Icon name={option.icon} />
          <span className={styles.label}>{option.label}</span>
          {option.keys !== undefined && (
            <span className={styles.keys} aria-hidden="true">
              {option.keys}
            </span>
          )}
        </div>
      ))}
    </div>
  )
}
