import {
  type FocusEvent,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { useRovingFocus } from './roving-focus.ts'
import styles from './Toolbar.module.css'

interface ToolbarProps extends Omit<HTMLAttributes<HTMLDivElement>, 'onFocus' | 'onBlur' | 'onKeyDown'> {
  label: string
  children: ReactNode
}

/** Buttons that belong together: one stop of the Tab key, the arrows move within. */
export function Toolbar({ label, children, ...rest }: ToolbarProps) {
  const toolbar = useRef<HTMLDivElement>(null)
  useRovingFocus(toolbar)
  const { tip, ...listeners } = useFocusTip()
  return (
    <div {...rest} {...listeners} ref={toolbar} role="toolbar" aria-label={label}>
      {children}
      {tip}
    </div>
  )
}

interface Tip {
  text: string
  button: HTMLElement
  box: DOMRect
}

/**
 * Browsers show a title, with the name of an icon and its shortcut, to the mouse alone. This shows it to the keyboard.
 * Hidden from assistive technology, which reads name and description from the button.
 */
function useFocusTip() {
  const [tip, setTip] = useState<Tip | null>(null)
  const hide = () => setTip(null)
  // A button that is removed tells of no blur.
  useLayoutEffect(() => {
    if (tip?.button.isConnected === false) setTip(null)
  })
  return {
    tip: tip !== null && createPortal(<FocusTip text={tip.text} box={tip.box} />, document.body),
    onFocus({ target }: FocusEvent<HTMLElement>) {
      const isByKey = target.title !== '' && target.matches(':focus-visible')
      setTip(isByKey ? { text: target.title, button: target, box: target.getBoundingClientRect() } : null)
    },
    onBlur: hide,
    onKeyDown(event: KeyboardEvent) {
      if (event.key === 'Escape') hide()
    },
  }
}

/** Below the button, or above it at the bottom of the window; towards the middle of the window, so that it fits. */
function FocusTip({ text, box }: Pick<Tip, 'text' | 'box'>) {
  const isLeft = box.left + box.right < innerWidth
  const isTop = box.top + box.bottom < innerHeight
  const style = {
    ...(isLeft ? { left: box.left } : { right: innerWidth - box.right }),
    ...(isTop ? { top: box.bottom + gap } : { bottom: innerHeight - box.top + gap }),
  }
  return (
    <span className={styles.tip} style={style} aria-hidden="true" data-testid="focus-tip">
      {text}
    </span>
  )
}

const gap = 6
