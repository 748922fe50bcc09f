import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { aboveKeyboard } from './above-keyboard.ts'
import styles from './Dialog.module.css'
import { FocusReturn } from './focus-return.ts'
import { keepOpenWhileComposing } from './pressed-key.ts'
import { useTopmost } from './topmost.ts'

export interface DialogProps {
  title: string
  /** A destructive question: Escape and Cancel are the easy way out. */
  isAlert?: boolean
  width?: 'narrow' | 'normal' | 'wide' | 'widest' | 'table' | 'stage'
  /** Escape, the backdrop and the close button. */
  onClose: () => void
  /** The row of buttons at the bottom. */
  actions?: ReactNode
  /** Stands at the other end of that row. */
  asideAction?: ReactNode
  children: ReactNode
}

/**
 * A question over the page. Focus moves in (to `[autofocus]`-like elements marked `data-autofocus`, else to the first
 * control), stays in, and goes back to where it was. Only the top one closes.
 */
export function Dialog({
  title,
  isAlert = false,
  width = 'normal',
  onClose,
  actions,
  asideAction,
  children,
}: DialogProps) {
  const [cameFrom] = useState(() => document.activeElement)
  const question = useId()
  return (
    <Radix.Root open onOpenChange={useTopmost(onClose)}>
      <Radix.Portal>
        <Backdrop className={styles.scrim} onClose={onClose} />
        <div ref={aboveKeyboard} className={styles.host}>
          <Radix.Content
            className={`card floating ${styles.dialog}`}
            role={isAlert ? 'alertdialog' : 'dialog'}
            aria-modal="true"
            // The question itself, which the title does not ask.
            aria-describedby={isAlert ? question : undefined}
            data-width={width}
            onKeyDown={scrollBody}
            onOpenAutoFocus={focusMarked}
            onCloseAutoFocus={(event) => event.preventDefault()}
            onEscapeKeyDown={keepOpenWhileComposing}
            onInteractOutside={leaveToBackdrop}
          >
            <FocusReturn to={cameFrom} />
            <header className={`card-title ${styles.head}`}>
              <Radix.Title className={styles.title}>{title}</Radix.Title>
            </header>
            <div id={question} className={`card-content ${styles.body}`}>
              {children}
            </div>
            {actions !== undefined && (
              <footer className={`card-action ${styles.foot}`}>
                {asideAction !== undefined && <span className={styles.aside}>{asideAction}</span>}
                {actions}
              </footer>
            )}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** How far a key scrolls, in heights of what is in view. */
const scrolled: Record<string, number | undefined> = { PageDown: 0.9, PageUp: -0.9, ArrowDown: 0.1, ArrowUp: -0.1 }

/** The buttons stand below what scrolls, and their keys would find nothing to scroll. */
function scrollBody({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): void {
  const step = scrolled[key]
  const body = (target as HTMLElement).closest('footer')?.previousElementSibling
  if (step !== undefined && body && currentTarget.contains(body)) body.scrollBy({ top: step * body.clientHeight })
}

export function focusMarked(event: Event): void {
  const content = event.currentTarget
  if (!(content instanceof HTMLElement)) return
  const marked = content.querySelector<HTMLElement>('[data-autofocus]')
  if (marked === null) return
  event.preventDefault()
  marked.focus()
}

/**
 * Closes the dialog when it is clicked. The second half of a double click is none: the first one opened the dialog, which is
 * to be seen.
 */
export const Backdrop = ({ className, onClose }: { className: string | undefined; onClose: () => void }) => (
  <Radix.Overlay
    className={`overlay ${className}`}
    // The focus stays in the dialog.
    onMouseDown={(event) => event.preventDefault()}
    onClick={(event) => event.detail < 2 && onClose()}
  />
)

/** Toasts lie above the dialog and are not part of it; reading one must not answer the question. */
export const leaveToBackdrop = (event: Event): void => event.preventDefault()
