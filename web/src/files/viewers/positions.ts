import { personalItem } from '../../state/personal-storage.ts'

type Item = Pick<ReturnType<typeof personalItem>, 'read' | 'write'>

/** The position in each film or book, kept in this browser. Bounded: the oldest is removed first. */
export function positionStore<Position>(name: string, limit: number, item: Item = personalItem(name)) {
  function read(): [string, Position][] {
    try {
      const stored: unknown = JSON.parse(item.read() ?? '[]')
      return Array.isArray(stored) ? stored.filter((pair) => Array.isArray(pair) && pair.length === 2) : []
    } catch {
      return []
    }
  }

  return {
    get: (key: string): Position | null => read().find(([known]) => known === key)?.[1] ?? null,

    /** `null` removes it. */
    set(key: string, position: Position | null): void {
      const others = read().filter(([known]) => known !== key)
      const next = position === null ? others : [...others, [key, position] as [string, Position]]
      try {
        item.write(JSON.stringify(next.slice(-limit)))
      } catch {
        // A full storage keeps no position; playing goes on.
      }
    },
  }
}
