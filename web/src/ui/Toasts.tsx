import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button, IconButton } from './Button.tsx'
import { Icon } from './Icon.tsx'
import styles from './Toasts.module.css'
import { closeToast, type Toast, useToasts } from './toasts.ts'

const shownFor = 4000

interface ToastsProps {
  /** Accessible name of the region. */
  label: string
  closeLabel: string
  /** Offered with errors; absent where links to the outside are switched off. */
  report?: { label: string; open: (text: string) => void }
}

/** Above everything, dialogs included. The region is there from the start, so that what appears in it is announced. */
export function Toasts({ label, closeLabel, report }: ToastsProps) {
  const toasts = useToasts()
  return createPortal(
    <section aria-label={label} className={styles.region} data-toasts="">
      <div aria-live="polite" className={styles.stack}>
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} closeLabel={closeLabel} report={report} />
        ))}
      </div>
    </section>,
    document.body,
  )
}

function ToastCard({ toast, closeLabel, report }: { toast: Toast } & Omit<ToastsProps, 'label'>) {
  const [isHeld, setIsHeld] = useState(false)
  const isPassing = toast.kind === 'success' && !isHeld

  useEffect(() => {
    if (!isPassing) return
    const timer = setTimeout(() => closeToast(toast.id), shownFor)
    return () => clearTimeout(timer)
  }, [isPassing, toast.id])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only holds the clock; every action is a button inside
    <div
      className={styles.toast}
      data-toast={toast.kind}
      role={toast.kind === 'error' ? 'alert' : 'status'}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <Icon name={toast.kind === 'error' ? 'warn' : 'check'} />
      <p className={styles.text}>{toast.text}</p>
      {toast.action !== undefined && (
        <Button
          size="small"
          onClick={() => {
            closeToast(toast.id)
            toast.action?.run()
          }}
        >
          {toast.action.label}
        </Button>
      )}
      {toast.kind === 'error' && report !== undefined && (
        <Button size="small" onClick={() => report.open(toast.text)}>
          {report.label}
        </Button>
      )}
      <IconButton icon="x" label={closeLabel} small onClick={() => closeToast(toast.id)} />
    </div>
  )
}
