import type { KeyboardEvent } from 'react'
import { followPointer } from '../ui/follow-pointer.ts'
import styles from './ShellResizer.module.css'

/** At least a line to type in, at most what leaves a few rows of the files above. */
const lowest = 96
const highest = () => Math.max(lowest, window.innerHeight - 240)
const keyStep = 24

interface ShellResizerProps {
  label: string
  height: number
  onResize: (height: number) => void
}

/** The upper edge: dragged, or moved by the arrow keys. */
export function ShellResizer({ label, height, onResize }: ShellResizerProps) {
  const resize = (next: number) => onResize(Math.round(Math.min(highest(), Math.max(lowest, next))))

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowUp') resize(height + keyStep)
    else if (event.key === 'ArrowDown') resize(height - keyStep)
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this one can
    <div
      role="separator"
      aria-label={label}
      aria-orientation="horizontal"
      aria-valuenow={height}
      aria-valuemin={lowest}
      aria-valuemax={highest()}
      tabIndex={0}
      className={styles.edge}
      onPointerDown={(event) => followPointer(event, (_, down) => resize(height - down))}
      onKeyDown={onKeyDown}
    />
  )
}
