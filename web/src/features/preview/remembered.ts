/**
 * A short memory per file in this browser: where a film was left, which page of a book was open. Bounded, the oldest
 * is forgotten first.
 */
export function memory<Value>(storageKey: string, most: number, storage: Storage = localStorage) {
  function read(): [string, Value][] {
    try {
      const stored: unknown = JSON.parse(storage.getItem(storageKey) ?? '[]')
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
        storage.setItem(storageKey, JSON.stringify(next.slice(-most)))
      } catch {
        // A full storage forgets; watching goes on.
      }
    },
  }
}
