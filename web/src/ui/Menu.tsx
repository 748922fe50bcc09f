import { DropdownMenu as RadixDropdown } from 'radix-ui'
import { Fragment, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { isRightToLeft } from './direction.ts'
import type { GlyphName } from './glyphs.tsx'
import { Icon } from './Icon.tsx'
import styles from './Menu.module.css'
import { useMedia } from './media.ts'
import { NamedText } from './NamedText.tsx'

/** One line of a menu. The shortcut is shown, never part of the name. */
export interface MenuItem {
  id: string
  label: string
  /** The words that are seen, where the label stays the name. */
  shown?: string
  icon?: GlyphName
  shortcut?: string
  isDanger?: boolean
  isDisabled?: boolean
  /** Makes the line one choice of several: true for the present one. */
  isChecked?: boolean
  /** Choosing it leaves the menu open. */
  staysOpen?: boolean
  onSelect: () => void
}

/** Lines that belong together, with a heading or without; a rule stands between sections. */
export type MenuSection = readonly MenuItem[] | HeadedSection

interface HeadedSection {
  heading: string
  items: readonly MenuItem[]
  /** Each line is switched on and off by itself, and the menu stays open for the next. */
  isManyOf?: boolean
}

export interface MenuProps {
  label: string
  sections: readonly MenuSection[]
}

/** A menu that hangs from a button. `trigger` is that button. */
export function Menu({
  label,
  sections,
  trigger,
  align = 'start',
}: MenuProps & { trigger: ReactNode; align?: 'start' | 'end' }) {
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)

  function onOpenChange(next: boolean) {
    if (!next && isFocusInMenu()) button.current?.focus()
    setIsOpen(next)
  }

  useClosedByStep(isOpen, () => setIsOpen(false))
  return (
    <RadixDropdown.Root dir={readingDirection()} modal={useIsModal()} open={isOpen} onOpenChange={onOpenChange}>
      <RadixDropdown.Trigger asChild ref={button}>
        {trigger}
      </RadixDropdown.Trigger>
      <RadixDropdown.Portal>
        <RadixDropdown.Content
          className={styles.menu}
          aria-label={label}
          aria-labelledby={undefined}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          loop
          onCloseAutoFocus={(event) => keepFocus(event, () => button.current?.focus())}
        >
          <Sections sections={sections} />
        </RadixDropdown.Content>
      </RadixDropdown.Portal>
    </RadixDropdown.Root>
  )
}

/**
 * A menu that closes gives the focus back at once. Radix would do it when the menu is gone, and a key that is pressed
 * before that would be lost.
 */
export const isFocusInMenu = (): boolean => document.activeElement?.closest('[role="menu"]') != null

/** When the menu is gone, what it opened may have the focus. Only a focus that is lost is given back then. */
export function keepFocus(event: Event, giveBack: () => void): void {
  event.preventDefault()
  if (document.activeElement === document.body) giveBack()
}

/** A step through the history leads to another page, about which the lines of the menu were not. */
export function useClosedByStep(isOpen: boolean, close: () => void): void {
  const onStep = useEffectEvent(close)
  useEffect(() => {
    if (!isOpen) return
    addEventListener('popstate', onStep)
    return () => removeEventListener('popstate', onStep)
  }, [isOpen])
}

/** Radix knows menus only from left to right unless it is told. */
export const readingDirection = () => (isRightToLeft() ? 'rtl' : 'ltr')

/**
 * With a mouse a click beside the menu closes it and counts, so that another row can be clicked at once. A tap beside
 * it only closes it, and must not open something.
 */
export const useIsModal = () => useMedia('coarse')

export function Sections({ sections }: { sections: readonly MenuSection[] }) {
  const filled = sections.filter((section) => itemsOf(section).length > 0)
  return filled.map((section, index) => (
    <Fragment key={itemsOf(section)[0]?.id}>
      {index > 0 && <RadixDropdown.Separator className={styles.rule} />}
      {'heading' in section ? <Headed section={section} /> : <Section section={section} />}
    </Fragment>
  ))
}

const itemsOf = (section: MenuSection): readonly MenuItem[] => ('heading' in section ? section.items : section)

function Headed({ section: { heading, items, isManyOf } }: { section: HeadedSection }) {
  const id = useId()
  return (
    <RadixDropdown.Group aria-labelledby={id}>
      <RadixDropdown.Label id={id} className={styles.heading}>
        {heading}
      </RadixDropdown.Label>
      {isManyOf ? items.map((item) => <Switch key={item.id} item={item} />) : <Section section={items} />}
    </RadixDropdown.Group>
  )
}

function Switch({ item }: { item: MenuItem }) {
  return (
    <RadixDropdown.Item
      role="menuitemcheckbox"
      aria-checked={item.isChecked}
      className={styles.item}
      onSelect={(event) => {
        event.preventDefault()
        item.onSelect()
      }}
    >
      <Line item={item} />
      <Tick isShown={item.isChecked === true} />
    </RadixDropdown.Item>
  )
}

const Tick = ({ isShown }: { isShown: boolean }) => (
  <span className={styles.tick}>{isShown && <Icon name="check" small />}</span>
)

function Section({ section }: { section: readonly MenuItem[] }) {
  const chosen = section.find((item) => item.isChecked === true)
  if (section.every((item) => item.isChecked === undefined)) {
    return section.map((item) => (
      <RadixDropdown.Item
        key={item.id}
        className={styles.item}
        data-danger={item.isDanger}
        disabled={item.isDisabled}
        onSelect={(event) => {
          if (item.staysOpen) event.preventDefault()
          item.onSelect()
        }}
      >
        <Line item={item} />
      </RadixDropdown.Item>
    ))
  }
  return (
    <RadixDropdown.RadioGroup value={chosen?.id ?? ''}>
      {section.map((item) => (
        <RadixDropdown.RadioItem key={item.id} value={item.id} className={styles.item} onSelect={item.onSelect}>
          <Line item={item} />
          <Tick isShown={item.isChecked === true} />
        </RadixDropdown.RadioItem>
      ))}
    </RadixDropdown.RadioGroup>
  )
}

const Line = ({ item }: { item: MenuItem }) => (
  <>
    {item.icon !== undefined && <Icon name={item.icon} />}
    <span className={styles.label}>
      <NamedText name={item.label} shown={item.shown ?? item.label} />
    </span>
    {item.shortcut !== undefined && (
      <span className={styles.shortcut} aria-hidden="true">
        {item.shortcut}
      </span>
    )}
  </>
)
