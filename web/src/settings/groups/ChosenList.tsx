import type { Subject } from '@filestead/contract'
import { useEffect, useRef, useState } from 'react'
import type { Choice } from '../../files/rights/choices.ts'
import { PeoplePicker } from '../../files/rights/PeoplePicker.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge } from '../../ui/Table.tsx'
import { FilterField } from '../forms/FilterField.tsx'
import styles from './ChosenList.module.css'

interface ChosenListProps {
  /** The name of the list. */
  label: string
  /** The name of the field that adds to it. */
  addLabel: string
  /** The sentence for an empty list. */
  none: string
  choices: readonly Choice[]
  chosen: ReadonlySet<Subject>
  /** The list is decided elsewhere, and shown. */
  isFixed?: boolean
  /** Those that are decided elsewhere, with a word that says where. */
  fixed?: ReadonlyMap<Subject, string>
  onChange: (chosen: ReadonlySet<Subject>) => void
}

/** Drawn at once; the rest on demand, so that a group of thousands opens as fast as one of ten. */
const step = 50

/** From this number on a list is searched, not read. */
const long = 20

/** Some out of many: a field that adds, and a list of those that were added, each with a button that removes it. */
export function ChosenList({
  label,
  addLabel,
  none,
  choices,
  chosen,
  isFixed = false,
  fixed,
  onChange,
}: ChosenListProps) {
  const { t } = useTranslation()
  const [filter, setFilter] = useState('')
  const [count, setCount] = useState(step)
  const field = useRef<HTMLFieldSetElement>(null)
  /** The place in the list of the one that was removed last. */
  const removed = useRef<number | null>(null)

  // The button that was pressed is gone: the keyboard goes on with the one that took its place, or with the field.
  useEffect(() => {
    if (removed.current === null) return
    const buttons = field.current?.querySelectorAll<HTMLElement>('li button') ?? []
    const next = buttons[Math.min(removed.current, buttons.length - 1)]
    ;(next ?? field.current?.querySelector('input'))?.focus()
    removed.current = null
  })

  const isIn = ({ key }: Choice) => chosen.has(key)
  const members = choices.filter(isIn)
  const wanted = filter.trim().toLocaleLowerCase()
  const fitting = members.filter((choice) => choice.label.toLocaleLowerCase().includes(wanted))
  const shown = fitting.slice(0, count)

  function remove(choice: Choice) {
    removed.current = shown.filter(({ key }) => fixed?.has(key) !== true).indexOf(choice)
    onChange(new Set([...chosen].filter((key) => key !== choice.key)))
  }

  return (
    <fieldset ref={field} className={styles.chosen} aria-label={label}>
      {!isFixed && (
        <PeoplePicker
          label={addLabel}
          choices={choices.filter((choice) => !isIn(choice) && fixed?.has(choice.key) !== true)}
          onPick={({ key }) => onChange(new Set(chosen).add(key))}
        />
      )}
      {members.length > long && <FilterField label={t('rights.picker.filter')} value={filter} onChange={setFilter} />}
      {members.length === 0 && <p className={styles.none}>{none}</p>}
      {members.length > 0 && fitting.length === 0 && (
        <p role="status" className={styles.none}>
          {t('rights.picker.nothing')}
        </p>
      )}
      {shown.length > 0 && (
        <ul className={styles.list} aria-label={label}>
          {shown.map((choice) => (
            <Item
              key={choice.key}
              choice={choice}
              source={fixed?.get(choice.key)}
              onRemove={isFixed ? null : () => remove(choice)}
            />
          ))}
        </ul>
      )}
      {fitting.length > count && (
        <div>
          <Button look="link" onClick={() => setCount(count + step * 10)}>
            {t('rights.picker.showMore', { count: fitting.length - count })}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

interface ItemProps {
  choice: Choice
  source: string | undefined
  /** Null where it cannot be removed. */
  onRemove: (() => void) | null
}

const Item = ({ choice: { label, icon, note }, source, onRemove }: ItemProps) => {
  const { t } = useTranslation()
  return (
    <li className={styles.item}>
      <span className={styles.mark}>{icon === 'user' ? <Avatar name={label} /> : <Icon name={icon} />}</span>
      <bdi className={styles.name}>{label}</bdi>
      {note !== undefined && <span className={styles.note}>{note}</span>}
      {source !== undefined && <Badge>{source}</Badge>}
      {source === undefined && onRemove !== null && (
        <IconButton icon="x" label={withoutMarks(t('rights.picker.remove', { name: label }))} onClick={onRemove} />
      )}
    </li>
  )
}
