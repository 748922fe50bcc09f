import { useEffect } from 'react'
import { createStore } from '../../state/store.ts'

type Dragging = typeof import('./drag.ts')

const dragging = createStore<Dragging | null>(null)

/** Drag and drop, loaded beside the first listing; null until then, and where it cannot be loaded. */
export function useDragging(): Dragging | null {
  useEffect(() => {
    if (dragging.get() === null) void import('./drag.ts').then(dragging.set, () => {})
  }, [])
  return dragging.use()
}
