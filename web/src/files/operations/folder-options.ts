export interface FolderOption {
  name: string
  path: string
}

type Meaning =
  | { kind: 'to'; index: (index: number, length: number) => number }
  | { kind: 'enter' | 'in' | 'up' | 'toggle' | 'type' }

/** What a key does in a list of folders. */
export function keyMeaning(
  event: { key: string; altKey: boolean; ctrlKey: boolean; metaKey: boolean },
  isRightToLeft: boolean,
): Meaning | null {
  const { key, altKey, ctrlKey, metaKey } = event
  if (key === 'ArrowUp' && altKey) return { kind: 'up' }
  if (altKey || ctrlKey || metaKey) return null
  switch (key) {
    case 'ArrowDown':
      return { kind: 'to', index: (index, length) => Math.min(index + 1, length - 1) }
    case 'ArrowUp':
      return { kind: 'to', index: (index) => Math.max(index - 1, 0) }
    case 'Home':
      return { kind: 'to', index: () => 0 }
    case 'End':
      return { kind: 'to', index: (_, length) => length - 1 }
    case 'ArrowRight':
      return { kind: isRightToLeft ? 'up' : 'in' }
    case 'ArrowLeft':
      return { kind: isRightToLeft ? 'in' : 'up' }
    case 'Backspace':
      return { kind: 'up' }
    case 'Enter':
      return { kind: 'enter' }
    case ' ':
      return { kind: 'toggle' }
    default:
      return [...key].length === 1 ? { kind: 'type' } : null
  }
}

/** The next option that begins with what was typed, from the present one on and around. */
export function optionStarting(options: readonly FolderOption[], text: string, from: number): FolderOption | undefined {
  const wanted = text.toLocaleLowerCase()
  // More letters narrow down where one is; the same first letter again goes on to the next.
  const start = text.length === 1 ? from + 1 : Math.max(from, 0)
  const around = [...options.slice(start), ...options.slice(0, start)]
  return around.find(({ name }) => name.toLocaleLowerCase().startsWith(wanted))
}
