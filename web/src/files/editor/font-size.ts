import { useState } from 'react'
import { note } from '../../state/personal-storage.ts'

/** The key of the predecessor, so that the size stays what it was. */
const storageKey = 'editorFontSize'
const defaultSize = 14
const smallest = 8
const largest = 40

export function useFontSize() {
  const [size, setSize] = useState(() => clamp(Number(localStorage.getItem(storageKey)) || defaultSize))

  function change(by: number) {
    const next = clamp(size + by)
    note(localStorage, storageKey, String(next))
    setSize(next)
  }

  return { size, grow: () => change(1), shrink: () => change(-1) }
}

const clamp = (size: number): number => Math.min(largest, Math.max(smallest, Math.round(size)))
