import type { DraftLedger } from '../disk/drafts.ts'
import type { MoveLedger } from '../disk/moving-sources.ts'
import type { OverwriteTarget } from '../disk/repairing.ts'

/** The ledger of a process that never ends; the real one is a table. */
export function memoryLedger(): DraftLedger & { readonly rows: ReadonlyMap<string, OverwriteTarget | null> } {
  const rows = new Map<string, OverwriteTarget | null>()
  const begun = new Set<string>()
  return {
    rows,
    async begin(draft) {
      rows.set(draft, null)
      begun.add(draft)
    },
    async overwriting(draft, target) {
      rows.set(draft, target)
      const isSame = (other: OverwriteTarget | null) => other?.inode === target.inode && other?.born === target.born
      return [...rows].filter(([other, into]) => other !== draft && isSame(into)).map(([other]) => other)
    },
    end: async (draft) => void rows.delete(draft),
    leftBehind: async () => [...rows].map(([draft, target]) => ({ draft, target, isKept: !begun.has(draft) })),
  }
}

/** The same for what is being moved to another file system. */
export function memoryMoves() {
  const rows = new Map<string, { original: string; arrivedSince: number | null }>()
  const ledger: MoveLedger = {
    begin: async (place, original) => void rows.set(place, { original, arrivedSince: null }),
    arrived: async (place, arrivedSince) =>
      void rows.set(place, { original: rows.get(place)?.original ?? '', arrivedSince }),
    end: async (place) => void rows.delete(place),
    leftBehind: async () => [...rows].map(([place, row]) => ({ place, ...row })),
  }
  return { ...ledger, rows }
}
