/** An entry of a folder that is there, or was there when the folder was removed. */
export interface PresentEntry {
  readonly name: string
  readonly isDir: boolean
  /** In milliseconds since 1970, as all times here. */
  readonly modified: number
}

/** A thing that was directly in the folder and is kept. */
export interface KeptEntry extends PresentEntry {
  readonly keptAt: number
}

export interface Composed<Present, Kept> {
  readonly present: readonly Present[]
  readonly kept: readonly Kept[]
}

/**
 * What a folder held at a time. Of all that lost a name since, the first tells what had it at that time, unless its content
 * came later; a name that nothing has lost since holds what it held. A folder may be older than its last change.
 */
export function composeFolder<Present extends PresentEntry, Kept extends KeptEntry>(
  at: number,
  present: readonly Present[],
  kept: readonly Kept[],
): Composed<Present, Kept> {
  const first = new Map<string, Kept>()
  for (const entry of kept) {
    if (entry.keptAt <= at) continue
    const known = first.get(entry.name)
    if (known === undefined || entry.keptAt < known.keptAt) first.set(entry.name, entry)
  }
  const wasThere = ({ isDir, modified }: PresentEntry) => isDir || modified <= at
  return {
    present: present.filter((entry) => !first.has(entry.name) && wasThere(entry)),
    kept: [...first.values()].filter(wasThere),
  }
}

/** In milliseconds: what is removed in one go has several times. */
const oneGo = 1000

/**
 * Where a slider stops, the newest first: the moments before something in the folder was displaced, so that each shows a thing
 * that the next one does not have, and the times of snapshots.
 */
export function stopsOf(keptTimes: readonly number[], snapshotTimes: readonly number[]): number[] {
  const stops: number[] = []
  let last = Number.POSITIVE_INFINITY
  for (const keptAt of keptTimes.toSorted((one, two) => two - one)) {
    if (last - keptAt <= oneGo) stops.pop()
    stops.push(keptAt - 1)
    last = keptAt
  }
  return [...new Set([...stops, ...snapshotTimes])].sort((one, two) => two - one)
}
