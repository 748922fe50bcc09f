import { DropdownMenu as RadixDropdown } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import styles from './Menu.module.css'
import {
  isFocusInMenu,
  keepFocus,
  type MenuProps,
  readingDirection,
  Sections,
  useClosedByStep,
  useIsModal,
} from './Menu.tsx'

const edge = 8

interface PointMenuProps {
  /** Above the lines of a sheet. Hidden from assistive technology, for which a menu has lines alone. */
  head?: ReactNode
  at: { x: number; y: number } | null
  onClose: () => void
  onFocusBack?: () => void
}

/** A menu that opens at a point of the screen, when and where its owner says. Null closes it. */
export function PointMenu({ label, sections, head, at, onClose, onFocusBack }: MenuProps & PointMenuProps) {
  const [lift, setLift] = useState(0)
  useClosedByStep(at !== null, onClose)
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
          style={at === null ? undefined : { left: at.x, top: at.y - lift }}
        />
      </RadixDropdown.Trigger>
      <RadixDropdown.Portal>
        <RadixDropdown.Content
          ref={(menu) => setLift(menu === null || at === null ? 0 : liftOf(menu, at))}
          className={`${styles.menu} ${styles.sheet}`}
          aria-label={label}
          aria-labelledby={undefined}
          align="start"
          sideOffset={2}
          collisionPadding={edge}
          loop
          onCloseAutoFocus={(event) => keepFocus(event, () => onFocusBack?.())}
        >
          {head}
          <Sections sections={sections} />
        </RadixDropdown.Content>
      </RadixDropdown.Portal>
    </RadixDropdown.Root>
  )
}

/** How far up a menu begins that is too long for the room below the point and for the room above it. */
function liftOf(menu: HTMLElement, { y }: { y: number }): number {
  const height = menu.scrollHeight + 2 * edge
  const missing = y + height - innerHeight
  return missing <= 0 || y >= height ? 0 : Math.min(missing, y - edge)
}
