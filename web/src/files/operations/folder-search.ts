import { join } from '@filestead/contract'
import { useEffect, useState } from 'react'
import { search } from '../../server/queries/search.ts'

/** How long after the last letter the server is asked, in milliseconds. */
const pause = 200
/** One letter fits too many. */
const shortest = 2
const mostFound = 200

interface FoundFolders {
  text: string
  found: readonly string[]
  isSearching: boolean
}

const none: FoundFolders = { text: '', found: [], isSearching: false }

/** Folders anywhere whose names hold the text, as the server finds them. */
export function useFolderSearch(text: string): FoundFolders {
  const [state, setState] = useState(none)
  const isWanted = text.trim().length >= shortest

  useEffect(() => {
    if (!isWanted) return
    const ending = new AbortController()
    const timer = setTimeout(() => void find(text, ending, setState), pause)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [text, isWanted])

  if (!isWanted) return none
  return state.text === text ? state : { text, found: [], isSearching: true }
}

/** A search that fails finds nothing: the folders that are loaded can be picked all the same. */
async function find(text: string, ending: AbortController, show: (state: FoundFolders) => void): Promise<void> {
  const found: string[] = []
  const wanted = text.trim().toLocaleLowerCase()
  try {
    for await (const hits of search('/', text, ending.signal)) {
      for (const { path, isDir } of hits) {
        const folder = join('/', path.replace(/^\/+|\/+$/g, ''))
        if (
          isDir &&
          folder
            .slice(folder.lastIndexOf('/') + 1)
            .toLocaleLowerCase()
            .includes(wanted)
        )
          found.push(folder)
      }
      if (found.length >= mostFound) break
      if (!ending.signal.aborted) show({ text, found: [...found], isSearching: true })
    }
  } catch {
    if (ending.signal.aborted) return
  }
  if (!ending.signal.aborted) show({ text, found, isSearching: false })
}
