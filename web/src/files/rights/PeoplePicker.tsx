import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { TextField } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { type Choice, matching } from './choices.ts'
import styles from './PeoplePicker.module.css'

interface PeoplePickerProps {
  label: string
  isLabelHidden?: boolean
  choices: readonly Choice[]
  /** What the field shows while nothing is typed: the choice that was made, where the field keeps one. */
  value?: Choice | null
  help?: string
  error?: string
  disabled?: boolean
  onPick: (choice: Choice) => void
}

/** A field that finds people and groups by their names, however many there are: the first that fit are offered. */
export function PeoplePicker({ label, isLabelHidden, choices, value = null, onPick, ...field }: PeoplePickerProps) {
  const { t } = useTranslation()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [at, setAt] = useState(0)
  const wanted = useDeferredValue(typed ?? '')
  const { shown, more } = matching(choices, wanted)
  const active = Math.min(at, shown.length - 1)

  useEffect(() => {
    if (isOpen) list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [isOpen, active])

  function close() {
    setIsOpen(false)
    setTyped(null)
    setAt(0)
  }

  function pick(choice: Choice | undefined) {
    if (choice === undefined) return
    onPick(choice)
    close()
  }

  /** What is drawn may be one letter behind what is typed: a person of another name must not be picked. */
  function pickTyped() {
    const fitting = matching(choices, typed ?? '').shown
    pick(fitting[Math.min(at, fitting.length - 1)])
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1
      if (!isOpen) setIsOpen(true)
      else setAt((active + step + shown.length) % Math.max(1, shown.length))
    } else if (event.key === 'Enter' && isOpen) pickTyped()
    // A form is not sent by a name that fits nothing.
    else if (event.key === 'Escape' && isOpen) close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: leaving the field, by whatever way, closes its list
    <div className={styles.picker} onBlur={close}>
      <TextField
        {...field}
        label={label}
        isLabelHidden={isLabelHidden}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        data-own-escape={isOpen ? '' : undefined}
        placeholder={t('rights.picker.placeholder')}
        value={typed ?? value?.label ?? ''}
        onChange={({ target }) => {
          setTyped(target.value)
          setAt(0)
          setIsOpen(true)
        }}
        onClick={() => setIsOpen(true)}
        onFocus={({ target }) => target.select()}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the field keeps the focus, also while the list is scrolled
        <div className={styles.popup} onMouseDown={(event) => event.preventDefault()}>
          <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={styles.list}>
            {shown.map((choice, index) => (
              <Option
                key={choice.key}
                id={`${id}-${index}`}
                choice={choice}
                isActive={index === active}
                onPick={() => pick(choice)}
              />
            ))}
          </div>
          {(more > 0 || shown.length === 0) && (
            <p role="status" className={styles.more}>
              {more > 0 ? t('rights.picker.more', { count: more }) : t('rights.picker.nothing')}
            </p>
          )}
        </div>
      )}
    </div>
  )
}

interface OptionProps {
  id: string
  choice: Choice
  isActive: boolean
  onPick: () => void
}

const Option = ({ id, choice: { label, icon, note }, isActive, onPick }: OptionProps) => (
  // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
  <div
    id={id}
    role="option"
    aria-selected={isActive}
    aria-label={label}
    aria-description={note}
    className={styles.option}
    onClick={onPick}
  >
    <Icon name={icon} />
    <bdi>{label}</bdi>
    {note !== undefined && <span className={styles.note}>{note}</span>}
  </div>
)
