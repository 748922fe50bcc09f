import { type HTMLAttributes, type ReactNode, useRef } from 'react'
import { useRovingFocus } from './roving-focus.ts'

interface ToolbarProps extends HTMLAttributes<HTMLDivElement> {
  label: string
  children: ReactNode
}

/** Buttons that belong together: one stop of the Tab key, the arrows move within. */
export function Toolbar({ label, children, ...rest }: ToolbarProps) {
  const toolbar = useRef<HTMLDivElement>(null)
  useRovingFocus(toolbar)
  return (
    <div {...rest} ref={toolbar} role="toolbar" aria-label={label}>
      {children}
    </div>
  )
}
