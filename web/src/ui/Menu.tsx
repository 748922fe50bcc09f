import { ContextMenu as RadixContext, DropdownMenu as RadixDropdown } from 'radix-ui'
import { Fragment, type ReactNode } from 'react'
import type { GlyphName } from './glyphs.tsx'
import { Icon } from './Icon.tsx'
import styles from './Menu.module.css'

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
  return (
    <RadixDropdown.Root>
      <RadixDropdown.Trigger asChild>{trigger}</RadixDropdown.Trigger>
      <RadixDropdown.Portal>
        <RadixDropdown.Content
          className={styles.menu}
          aria-label={label}
          aria-labelledby={undefined}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          loop
        >
          <Sections parts={RadixDropdown} sections={sections} />
        </RadixDropdown.Content>
      </RadixDropdown.Portal>
    </RadixDropdown.Root>
  )
}

/** The menu of the right mouse button, the Menu key and a long press, over `children`. */
export function ContextMenu({
  label,
  sections,
  children,
  onOpenChange,
}: MenuProps & { children: ReactNode; onOpenChange?: (isOpen: boolean) => void }) {
  return (
    <RadixContext.Root onOpenChange={onOpenChange}>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <RadixContext.Portal>
        <RadixContext.Content className={styles.menu} aria-label={label} collisionPadding={8} loop>
          <Sections parts={RadixContext} sections={sections} />
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  )
}

/** A menu that opens at a point of the screen, for whoever decides alone when and where. Null closes it. */
export function PointMenu({
  label,
  sections,
  at,
  onClose,
  onFocusBack,
}: MenuProps & { at: { x: number; y: number } | null; onClose: () => void; onFocusBack?: () => void }) {
  return (
    <RadixDropdown.Root open={at !== null} onOpenChange={(isOpen) => !isOpen && onClose()}>
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
          className={styles.menu}
          aria-label={label}
          aria-labelledby={undefined}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          loop
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            // What the menu opened may have the focus by now.
            if (document.activeElement === document.body) onFocusBack?.()
          }}
        >
          <Sections parts={RadixDropdown} sections={sections} />
        </RadixDropdown.Content>
      </RadixDropdown.Portal>
    </RadixDropdown.Root>
  )
}

type Parts = typeof RadixDropdown | typeof RadixContext

function Sections({ parts, sections }: { parts: Parts; sections: readonly MenuSection[] }) {
  const filled = sections.filter((section) => section.length > 0)
  return filled.map((section, index) => (
    <Fragment key={section[0]?.id}>
      {index > 0 && <parts.Separator className={styles.rule} />}
      <Section parts={parts} section={section} />
    </Fragment>
  ))
}

function Section({ parts, section }: { parts: Parts; section: MenuSection }) {
  const chosen = section.find((item) => item.isChecked === true)
  if (section.every((item) => item.isChecked === undefined)) {
    return section.map((item) => (
      <parts.Item
        key={item.id}
        className={styles.item}
        data-danger={item.isDanger}
        disabled={item.isDisabled}
        onSelect={item.onSelect}
      >
        <Line item={item} />
      </parts.Item>
    ))
  }
  return (
    <parts.RadioGroup value={chosen?.id ?? ''}>
      {section.map((item) => (
        <parts.RadioItem key={item.id} value={item.id} className={styles.item} onSelect={item.onSelect}>
          <Line item={item} />
          <span className={styles.tick}>{item.isChecked === true && <Icon name="check" small />}</span>
        </parts.RadioItem>
      ))}
    </parts.RadioGroup>
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
