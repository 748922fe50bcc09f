import { parentOf } from '@filestead/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { type Entry, isFolder, resourceQuery } from '../../api/resources.ts'

export interface Neighbours {
  previous: Entry | null
  next: Entry | null
  /** Everything one can step through, in the order of the folder. */
  all: readonly Entry[]
  /** Where the file stands among them, from 0; -1 when it is not one of them. */
  position: number
}

const stepped = new Set<Entry['type']>(['image', 'video', 'audio', 'blob'])

/** What lies beside a file: walks the folder from the file in both directions to the next thing to look at. */
export function findNeighbours(items: readonly Entry[], name: string): Neighbours {
  const files = items.filter((item) => !item.isDir)
  const own = files.findIndex((item) => item.name === name)
  const all = files.filter((item) => stepped.has(item.type))
  return {
    previous: own === -1 ? null : (files.slice(0, own).findLast(isStepped) ?? null),
    next: own === -1 ? null : (files.slice(own + 1).find(isStepped) ?? null),
    all,
    position: all.findIndex((item) => item.name === name),
  }
}

const isStepped = (item: Entry): boolean => stepped.has(item.type)

const nobody: Neighbours = { previous: null, next: null, all: [], position: -1 }

/** A folder that cannot be listed means no neighbours, and no complaint: the file itself is in view. */
export function useNeighbours(file: Entry): { neighbours: Neighbours; isKnown: boolean } {
  const cache = useQueryClient()
  const { data: folder, isPending } = useQuery({ ...resourceQuery(parentOf(file.path)), retry: false })
  const neighbours = useMemo(
    () => (folder !== undefined && isFolder(folder) ? findNeighbours(folder.items, file.name) : nobody),
    [folder, file.name],
  )
  const { previous, next } = neighbours

  useEffect(() => {
    for (const neighbour of [next, previous])
      if (neighbour !== null) void cache.prefetchQuery({ ...resourceQuery(neighbour.path), staleTime: 30_000 })
  }, [cache, previous, next])

  return { neighbours, isKnown: !isPending }
}
