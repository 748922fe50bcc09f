import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useState } from 'react'
import styles from './Dialog.module.css'

export interface DialogProps {
  title: string
  /** A destructive question: Escape and Cancel are the easy way out. */
  isAlert?: boolean
  width?: 'narrow' | 'normal' | 'wide' | 'widest'
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
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Backdrop className={styles.scrim} onClose={onClose} />
        <div className={styles.host}>
          <Radix.Content
            className={`card floating ${styles.dialog}`}
            role={isAlert ? 'alertdialog' : 'dialog'}
            aria-modal="true"
            aria-describedby={undefined}
            data-width={width}
            onOpenAutoFocus={focusMarked}
            onCloseAutoFocus={(event) => event.preventDefault()}
            onInteractOutside={leaveToBackdrop}
          >
            <FocusReturn to={cameFrom} />
            <header className={`card-title ${styles.head}`}>
              <Radix.Title className={styles.title}>{title}</Radix.Title>
            </header>
            <div className={`card-content ${styles.body}`}>{children}</div>
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

function focusMarked(event: Event): void {
  const content = event.currentTarget
  if (!(content instanceof HTMLElement)) return
  const marked = content.querySelector<HTMLElement>('[data-autofocus]')
  if (marked === null) return
  event.preventDefault()
  marked.focus()
}

/**
 * Radix would give the focus back in a later task, and a key pressed before it would be lost. Lies inside the content:
 * effects end from the outside in, so the trap that holds the focus is gone when this one ends.
 */
function FocusReturn({ to }: { to: Element | null }) {
  useEffect(() => () => giveBackFocus(to), [to])
  return null
}

/** What had the focus may be gone, such as the line of a menu; then the content is nearest. */
function giveBackFocus(cameFrom: Element | null): void {
  const isThere = cameFrom instanceof HTMLElement && cameFrom.isConnected && cameFrom !== document.body
  const content = document.getElementById('content')
  const target = isThere ? cameFrom : (content?.querySelector<HTMLElement>('[role="row"][tabindex="0"]') ?? content)
  target?.focus({ preventScroll: true })
}

/**
 * Closes the dialog when it is clicked. The second half of a double click is none: the first one opened the dialog, and
 * whoever clicks a button twice wants to see what it opens.
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
