import { useCallback, useEffect, useRef, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { isAbort } from '../../server/client.ts'
import { type Hit, search } from '../../server/queries/search.ts'

export type SearchState =
  | { status: 'idle'; hits: readonly Hit[] }
  | { status: 'running' | 'done'; query: string; hits: readonly Hit[] }

const idle: SearchState = { status: 'idle', hits: [] }

/** One search at a time over a folder. Stopping keeps what has arrived; starting anew forgets it. */
export function useSearch(folder: string) {
  const [state, setState] = useState<SearchState>(idle)
  const running = useRef<AbortController | null>(null)

  const stop = useCallback(() => running.current?.abort(), [])

  const reset = useCallback(() => {
    running.current?.abort()
    running.current = null
    setState(idle)
  }, [])

  const run = useCallback(
    async (query: string) => {
      running.current?.abort()
      const mine = new AbortController()
      running.current = mine
      const hits: Hit[] = []
      const show = (status: 'running' | 'done') => {
        if (running.current === mine) setState({ status, query, hits: [...hits] })
      }
      show('running')
      try {
        for await (const found of search(folder, query, mine.signal)) {
          for (const hit of found) hits.push(hit)
          show('running')
        }
      } catch (error) {
        if (!isAbort(error)) {
          showFailure(error)
          // A search that failed does not tell that nothing matches.
          if (hits.length === 0 && running.current === mine) return setState(idle)
        }
      }
      show('done')
    },
    [folder],
  )

  useEffect(() => stop, [stop])

  return { state, run, stop, reset }
}
