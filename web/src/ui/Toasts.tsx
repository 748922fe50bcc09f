import { type FocusEvent, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button, IconButton } from './Button.tsx'
import { returnFocus } from './focus-return.ts'
import { Icon } from './Icon.tsx'
import styles from './Toasts.module.css'
import { closeToast, type Toast, useToastFocusWishes, useToasts } from './toasts.ts'

/** In milliseconds. What offers an action stays longer: it has to be read, decided about and reached. */
const shownFor = { plain: 4000, withAction: 10_000 }

interface ToastsProps {
  /** Accessible name of the region. */
  label: string
  closeLabel: string
  /** Offered with errors; absent where links to the outside are switched off. */
  report?: { label: string; open: (text: string) => void }
}

/**
 * Above everything, dialogs included. The region is there from the start, so that what appears in it is announced. The
 * focus goes back to where it was with Escape, and with every button that closes a toast.
 */
export function Toasts({ label, closeLabel, report }: ToastsProps) {
  const toasts = useToasts()
  const region = useRef<HTMLElement>(null)
  const cameFrom = useRef<Element | null>(null)

  const leave = () => returnFocus(cameFrom.current)

  const toggleFocus = useEffectEvent(() => {
    if (region.current?.contains(document.activeElement)) leave()
    else region.current?.querySelector<HTMLElement>('[data-toast]:last-of-type button')?.focus()
  })

  const wishes = useToastFocusWishes()
  useEffect(() => {
    if (wishes > 0) toggleFocus()
  }, [wishes])

  function onFocus({ relatedTarget }: FocusEvent) {
    const isInside = relatedTarget instanceof Node && region.current?.contains(relatedTarget)
    if (!isInside) cameFrom.current = relatedTarget
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    leave()
  }

  /** The button that is pressed goes with its toast. */
  function close(id: number) {
    const isFocused = region.current?.contains(document.activeElement) === true
    closeToast(id)
    if (isFocused) leave()
  }

  return createPortal(
    <section
      ref={region}
      aria-label={label}
      className={styles.region}
      data-toasts=""
      onFocus={onFocus}
      onKeyDown={onKeyDown}
    >
      <div aria-live="polite" className={styles.stack}>
        {toasts.map((toast) => (
          <ToastCard
            key={toast.id}
            toast={toast}
            closeLabel={closeLabel}
            report={report}
            onClose={() => close(toast.id)}
          />
        ))}
      </div>
    </section>,
    document.body,
  )
}

interface ToastCardProps extends Omit<ToastsProps, 'label'> {
  toast: Toast
  onClose: () => void
}

function ToastCard({ toast, closeLabel, report, onClose }: ToastCardProps) {
  const [isHovered, setIsHovered] = useState(false)
  const [isFocused, setIsFocused] = useState(false)
  const isPassing = toast.kind === 'success' && !isHovered && !isFocused
  const time = toast.action === undefined ? shownFor.plain : shownFor.withAction

  useEffect(() => {
    if (!isPassing) return
    const timer = setTimeout(() => closeToast(toast.id), time)
    return () => clearTimeout(timer)
  }, [isPassing, time, toast.id])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only holds the clock; every action is a button inside
    <div
      className={styles.toast}
      data-toast={toast.kind}
      role={toast.kind === 'error' ? 'alert' : 'status'}
      onPointerEnter={() => setIsHovered(true)}
      onPointerLeave={() => setIsHovered(false)}
      onFocus={() => setIsFocused(true)}
      onBlur={() => setIsFocused(false)}
    >
      <Icon name={toast.kind === 'success' ? 'check' : 'warn'} />
      <p className={styles.text}>{toast.text}</p>
      {toast.action !== undefined && (
        <Button
          size="small"
          onClick={() => {
            onClose()
            toast.action?.run()
          }}
        >
          {toast.action.label}
        </Button>
      )}
      {/* What can be mended here need not be reported. */}
      {toast.kind === 'error' && toast.action === undefined && report !== undefined && (
        <Button size="small" onClick={() => report.open(toast.text)}>
          {report.label}
        </Button>
      )}
      <IconButton icon="x" label={closeLabel} small onClick={onClose} />
    </div>
  )
}
