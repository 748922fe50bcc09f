import { DropdownMenu as RadixDropdown } from 'radix-ui'
import { Fragment, type ReactNode, useRef, useState } from 'react'
import { isRightToLeft } from './direction.ts'
import type { GlyphName } from './glyphs.tsx'
import { Icon } from './Icon.tsx'
import styles from './Menu.module.css'
import { useMedia } from './media.ts'

/** One line of a menu. The shortcut is shown, never part of the name. */
export interface MenuItem {
  id: string
  label: string
  icon?: GlyphName
  shortcut?: string
  isDanger?: boolean
  isDisabled?: boolean
  /** Makes the line one choice of several: true for the present one. */
  isChecked?: boolean
  onSelect: () => void
}

/** Lines that belong together; a rule stands between sections. */
export type MenuSection = readonly MenuItem[]

interface MenuProps {
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

/** A menu that opens at a point of the screen, when and where its owner says. Null closes it. */
export function PointMenu({
  label,
  sections,
  at,
  onClose,
  onFocusBack,
}: MenuProps & { at: { x: number; y: number } | null; onClose: () => void; onFocusBack?: () => void }) {
  return (
    <RadixDropdown.Root
      dir={readingDirection()}
      modal={useIsModal()}
      open={at !== null}
      onOpenChange={(isOpen) => {
        if (isOpen) return
        if (isFocusInMenu()) onFocusBack?.()
        onClose()
      }}
    >
      <RadixDropdown.Trigger asChild>
        <span
          className={styles.point}
          aria-hidden="true"
          tabIndex={-1}
          style={at === null ? undefined : { left: at.x, top: at.y }}
        />
      </RadixDropdown.Trigger>
      <RadixDropdown.Portal>
        <RadixDropdown.Content
          className={`${styles.menu} ${styles.sheet}`}
          aria-label={label}
          aria-labelledby={undefined}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          loop
          onCloseAutoFocus={(event) => keepFocus(event, () => onFocusBack?.())}
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
const isFocusInMenu = (): boolean => document.activeElement?.closest('[role="menu"]') != null

/** When the menu is gone, what it opened may have the focus. Only a focus that is lost is given back then. */
function keepFocus(event: Event, giveBack: () => void): void {
  event.preventDefault()
  if (document.activeElement === document.body) giveBack()
}

/** Radix knows menus only from left to right unless it is told. */
const readingDirection = () => (isRightToLeft() ? 'rtl' : 'ltr')

/**
 * With a mouse a click beside the menu closes it and counts, so that another row can be clicked at once. A tap beside
 * it only closes it, and must not open something.
 */
const useIsModal = () => useMedia('coarse')

function Sections({ sections }: { sections: readonly MenuSection[] }) {
  const filled = sections.filter((section) => section.length > 0)
  return filled.map((section, index) => (
    <Fragment key={section[0]?.id}>
      {index > 0 && <RadixDropdown.Separator className={styles.rule} />}
      <Section section={section} />
    </Fragment>
  ))
}

function Section({ section }: { section: MenuSection }) {
  const chosen = section.find((item) => item.isChecked === true)
  if (section.every((item) => item.isChecked === undefined)) {
    return section.map((item) => (
      <RadixDropdown.Item
        key={item.id}
        className={styles.item}
        data-danger={item.isDanger}
        disabled={item.isDisabled}
        onSelect={item.onSelect}
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
          <span className={styles.tick}>{item.isChecked === true && <Icon name="check" small />}</span>
        </RadixDropdown.RadioItem>
      ))}
    </RadixDropdown.RadioGroup>
  )
}

const Line = ({ item }: { item: MenuItem }) => (
  <>
    {item.icon !== undefined && <Icon name={item.icon} />}
    <span className={styles.label}>{item.label}</span>
    {item.shortcut !== undefined && (
      <span className={styles.shortcut} aria-hidden="true">
        {item.shortcut}
      </span>
    )}
  </>
)
