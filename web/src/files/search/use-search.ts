import { useCallback, useEffect, useRef, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { isAbort } from '../../server/client.ts'
import { type FoundEntry, search } from '../../server/queries/search.ts'
import { paced } from '../../state/paced.ts'
import { narrowed, rankOf, visibleTerms } from './terms.ts'

export interface SearchState {
  status: 'idle' | 'running' | 'done'
  /** The best first. */
  found: readonly FoundEntry[]
}

interface Run {
  query: string
  folder: string
  status: 'running' | 'done'
  found: readonly FoundEntry[]
}

interface Running {
  control: AbortController
  query: string
  folder: string
  isAsked: boolean
  isOver: boolean
}

const idle: SearchState = { status: 'idle', found: [] }
/** How long no further key has to come before the search begins. */
const pause = 150
/** Results that stream in are drawn at most so often. All times are in milliseconds. */
const drawEvery = 100

/**
 * Searches a folder for what is typed, one search at a time: the next key ends the request, and what has been found so
 * far is narrowed until the next answer is there. Stopping keeps what has arrived.
 */
export function useSearch(folder: string, typed: string) {
  const [last, setLast] = useState<Run | null>(null)
  const running = useRef<Running | null>(null)
  const query = typed.trim()

  const stop = useCallback(() => running.current?.control.abort(), [])

  /** A failure is told where the search was asked for by Enter; one that began by itself is begun anew by the next key. */
  const run = useCallback(async (query: string, folder: string, { isAsked = true } = {}) => {
    const before = running.current
    // What it has found so far stays.
    if (before?.query === query && before.folder === folder && !before.isOver && !before.control.signal.aborted) {
      before.isAsked ||= isAsked
      return
    }
    before?.control.abort()
    const mine: Running = { control: new AbortController(), query, folder, isAsked, isOver: false }
    running.current = mine
    const isMine = () => running.current === mine
    const terms = visibleTerms(query)
    const ranked: { rank: number; entry: FoundEntry }[] = []
    // Until the first answer: what is known of it already.
    setLast((before) => ({ query, folder, status: 'running', found: stateOf(before, query, folder).found }))
    const draw = (status: Run['status']) => {
      if (!isMine()) return
      ranked.sort((a, b) => a.rank - b.rank)
      setLast({ query, folder, status, found: ranked.map(({ entry }) => entry) })
    }
    const drawing = paced(() => draw('running'), drawEvery)
    try {
      for await (const found of search(folder, query, mine.control.signal)) {
        for (const entry of found) ranked.push({ rank: rankOf(entry.name, terms), entry })
        drawing.soon()
      }
    } catch (error) {
      if (!isAbort(error)) {
        if (mine.isAsked) showFailure(error)
        // A search that failed does not tell that nothing matches.
        if (ranked.length === 0 && isMine()) {
          running.current = null
          return setLast(null)
        }
      }
    } finally {
      mine.isOver = true
      drawing.end()
    }
    draw('done')
  }, [])

  useEffect(() => {
    const isAsked = () => running.current?.query === query && running.current.folder === folder
    if (isAsked()) return
    stop()
    running.current = null
    // No name has a slash in it: that is a path to go to.
    if (query === '' || query.startsWith('/')) return setLast(null)
    const timer = setTimeout(() => isAsked() || void run(query, folder, { isAsked: false }), pause)
    return () => clearTimeout(timer)
  }, [query, folder, run, stop])

  useEffect(() => stop, [stop])

  return { state: stateOf(last, query, folder), run, stop }
}

/** Of another query only what this one would find, too. */
function stateOf(last: Run | null, query: string, folder: string): SearchState {
  if (last === null || last.folder !== folder) return idle
  return last.query === query ? last : { status: 'idle', found: narrowed(last.found, last.query, query) }
}
