import { personalItem } from '../../state/personal-storage.ts'

type Item = Pick<ReturnType<typeof personalItem>, 'read' | 'write'>

/**
 * A short memory per file in this browser: where a film was left, which page of a book was open. Bounded, the oldest
 * is forgotten first.
 */
export function memory<Value>(name: string, most: number, item: Item = personalItem(name)) {
  function read(): [string, Value][] {
    try {
      const stored: unknown = JSON.parse(item.read() ?? '[]')
      return Array.isArray(stored) ? stored.filter((pair) => Array.isArray(pair) && pair.length === 2) : []
    } catch {
      return []
    }
  }

  return {
    recall: (key: string): Value | null => read().find(([known]) => known === key)?.[1] ?? null,

    /** `null` forgets. */
    remember(key: string, value: Value | null): void {
      const others = read().filter(([known]) => known !== key)
      const next = value === null ? others : [...others, [key, value] as [string, Value]]
      try {
        item.write(JSON.stringify(next.slice(-most)))
      } catch {
        // A full storage forgets; watching goes on.
      }
    },
  }
}
