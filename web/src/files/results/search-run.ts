import { isInside, nameOf } from '@filestead/contract'
import { isAbort } from '../../server/client.ts'
import { type Delta, otherLists, pathOf } from '../../server/operations/deltas.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { type FoundEntry, search } from '../../server/queries/search.ts'
import { paced } from '../../state/paced.ts'
import { perSession } from '../../state/session-scope.ts'
import { createStore } from '../../state/store.ts'
import { resultsOrder } from '../grid/list-order.ts'
import { rankOf, visibleTerms } from '../search/terms.ts'

interface Results {
  status: 'running' | 'done'
  /** The closest match first. */
  entries: readonly FoundEntry[]
  /** Why the search came to no end. */
  error: Error | null
}

/** A result keeps its place in the list, also while it is gone and may come back. */
interface Slot {
  entry: FoundEntry
  rank: number
  isGone: boolean
}

/** Results that stream in are drawn at most so often, in milliseconds. */
const drawEvery = 200

/** One search and its results, which change along with the files. */
export class SearchRun {
  readonly results = createStore<Results>({ status: 'running', entries: [], error: null })
  readonly #control = new AbortController()
  #slots: Slot[] = []

  constructor(
    readonly folder: string,
    readonly query: string,
  ) {}

  /** Resolves at the end of the search, whatever it is. */
  async start(): Promise<void> {
    const terms = visibleTerms(this.query)
    const drawing = paced(() => this.#draw('running'), drawEvery)
    let error: Error | null = null
    try {
      for await (const found of search(this.folder, this.query, this.#control.signal)) {
        for (const entry of found) this.#slots.push({ entry, rank: rankOf(entry.name, terms), isGone: false })
        drawing.soon()
      }
    } catch (thrown) {
      if (!isAbort(thrown)) error = thrown as Error
    }
    drawing.end()
    this.#draw('done', error)
  }

  /** What has been found stays. */
  stop(): void {
    this.#control.abort()
  }

  /**
   * A result that is moved or renamed keeps its place in the list. Answers the deltas that take the change back. Bound,
   * because it is kept as a function.
   */
  readonly patch = (deltas: readonly Delta[]): Delta[] => {
    const reverse = deltas.flatMap((delta, index): Delta[] => {
      const next = deltas[index + 1]
      if (delta.kind === 'put') return this.#put(delta.entry)
      // Moving is told as an entry that goes and one that comes.
      const isMoved = next?.kind === 'put' && this.#slotOf(next.entry.path) === undefined
      return isMoved ? this.#move(delta.path, next.entry) : this.#remove(delta.path)
    })
    const { status, error } = this.results.get()
    if (deltas.some((delta) => isInside(pathOf(delta), this.folder))) this.#draw(status, error)
    return reverse
  }

  #move(from: string, to: Entry): Delta[] {
    const before = this.#slotOf(from)?.entry
    for (const slot of this.#slots) {
      if (!isInside(slot.entry.path, from)) continue
      const path = to.path + slot.entry.path.slice(from.length)
      slot.entry = this.#asFound(slot.entry.path === from ? to : { ...slot.entry, path })
      slot.isGone = !isInside(path, this.folder)
    }
    if (before === undefined) return []
    return [
      { kind: 'gone', path: to.path },
      { kind: 'put', entry: withOwnName(before) },
    ]
  }

  #remove(path: string): Delta[] {
    const going = this.#slots.filter(({ entry, isGone }) => !isGone && isInside(entry.path, path))
    for (const slot of going) slot.isGone = true
    return going.map(({ entry }) => ({ kind: 'put', entry: withOwnName(entry) }))
  }

  #put(entry: Entry): Delta[] {
    const slot = this.#slotOf(entry.path)
    if (slot === undefined) return []
    slot.entry = this.#asFound(entry)
    slot.isGone = !isInside(entry.path, this.folder)
    // What is newly known of an entry is not taken back.
    return []
  }

  #slotOf(path: string): Slot | undefined {
    return this.#slots.find(({ entry }) => entry.path === path)
  }

  #asFound(entry: Entry): FoundEntry {
    return { ...entry, name: entry.path.slice(this.folder === '/' ? 1 : this.folder.length + 1) }
  }

  #draw(status: Results['status'], error: Error | null = null): void {
    this.#slots.sort((a, b) => a.rank - b.rank)
    const entries = this.#slots.flatMap(({ entry, isGone }) => (isGone ? [] : entry))
    this.results.set({ status, entries, error })
  }
}

const withOwnName = (entry: FoundEntry): Entry => ({ ...entry, name: nameOf(entry.path) })

/** So many searches are remembered, to go back to their results as they were. */
const mostRuns = 5

const runs = perSession((scope) => {
  const kept: SearchRun[] = []
  scope.onEnd(() => {
    for (const run of kept) run.stop()
  })
  return kept
})

/**
 * The search at an address: on the way back the one that was made before, as it was; otherwise a new one, which ends
 * those that are under way.
 */
export function searchRun(folder: string, query: string, { isFresh }: { isFresh: boolean }): SearchRun {
  const kept = runs()
  const at = kept.findIndex((run) => run.folder === folder && run.query === query)
  const known = kept[at]
  if (known !== undefined && !isFresh) return known
  for (const run of kept) run.stop()
  const run = new SearchRun(folder, query)
  const forgotten = (known === undefined ? [] : kept.splice(at, 1)).concat(kept.splice(mostRuns - 1))
  for (const { patch } of forgotten) otherLists().delete(patch)
  kept.unshift(run)
  otherLists().add(run.patch)
  resultsOrder.set(null)
  void run.start()
  return run
}
