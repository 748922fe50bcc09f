import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { Backdrop, focusMarked, leaveToBackdrop } from './Dialog.tsx'
import { isRightToLeft } from './direction.ts'
import { FocusReturn } from './focus-return.ts'
import styles from './PlacedDialog.module.css'
import { keepOpenWhileComposing } from './pressed-key.ts'
import { useTopmost } from './topmost.ts'

interface PlacedDialogProps {
  /** Heard, not seen: what it is about is seen where it lies. */
  title: string
  /** The words that it lies over, or the button that it hangs from. */
  at: Element
  isBelow?: boolean
  onClose: () => void
  children: ReactNode
}

/** A dialog in the place of what it changes, such as a name in its row, or below its button. In everything else it is a dialog like others. */
export function PlacedDialog({ title, at, isBelow = false, onClose, children }: PlacedDialogProps) {
  const [cameFrom] = useState(() => document.activeElement)
  const content = useRef<HTMLDivElement>(null)
  useStayingAt(content, at, isBelow)
  return (
    <Radix.Root open onOpenChange={useTopmost(onClose)}>
      <Radix.Portal>
        <Backdrop className={styles.backdrop} onClose={onClose} />
        <Radix.Content
          ref={content}
          className={styles.dialog}
          data-below={isBelow}
          role="dialog"
          aria-modal="true"
          aria-describedby={undefined}
          onOpenAutoFocus={focusMarked}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onEscapeKeyDown={keepOpenWhileComposing}
          onInteractOutside={leaveToBackdrop}
        >
          <FocusReturn to={cameFrom} />
          <Radix.Title className={styles.title}>{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const edge = 8
const padding = 6
/** From the edge of the dialog to the first letter in its field. */
const letterInset = 18
/** Between a button and what hangs from it. */
const gap = 6

/** The list may scroll, be sorted or grow while the dialog is open, so its place is looked at with every frame. */
function useStayingAt(content: { readonly current: HTMLElement | null }, at: Element, isBelow: boolean): void {
  useLayoutEffect(() => {
    let frame = 0
    const place = () => {
      frame = requestAnimationFrame(place)
      const dialog = content.current
      if (dialog === null || !at.isConnected) return
      const { left, right, top, bottom, height } = at.getBoundingClientRect()
      const { offsetWidth: width } = dialog
      const inset = isBelow ? 0 : letterInset
      const wanted = isRightToLeft() ? right + inset - width : left - inset
      const x = Math.max(edge, Math.min(wanted, innerWidth - width - edge))
      const line = dialog.querySelector('input')?.offsetHeight ?? 0
      const beginning = isBelow ? bottom + gap : top + height / 2 - line / 2 - padding
      const y = Math.max(edge, Math.min(beginning, innerHeight - dialog.offsetHeight - edge))
      const moved = `translate(${Math.round(x)}px, ${Math.round(y)}px)`
      if (dialog.style.transform !== moved) dialog.style.transform = moved
    }
    place()
    return () => cancelAnimationFrame(frame)
  }, [content, at, isBelow])
}
