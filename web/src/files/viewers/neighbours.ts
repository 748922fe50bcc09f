import { useMemo } from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import { isSteppable } from '../formats/kinds.ts'

export interface Neighbours {
  previous: Entry | null
  next: Entry | null
  /** Everything that can be stepped through, in the order of the listing. */
  all: readonly Entry[]
  /** The index of the file among them; -1 when it is not one of them. */
  position: number
}

const noFiles: readonly Entry[] = []

/**
 * The files before and after one file of a folder, or of the results of a search. `items` is undefined while they are
 * not known, and `isStep` says which files are stepped to.
 */
export function useNeighbours(
  items: readonly Entry[] | undefined,
  path: string,
  isStep: (file: Entry) => boolean = isSteppable,
): Neighbours {
  const files = useMemo(() => items?.filter(({ isDir }) => !isDir) ?? noFiles, [items])
  const all = useMemo(() => files.filter(isStep), [files, isStep])
  return useMemo(() => neighboursOf(files, all, path), [files, all, path])
}

/** A file that cannot be stepped to (a text, a PDF) has neighbours all the same: the nearest of those that can. */
export function neighboursOf(files: readonly Entry[], all: readonly Entry[], path: string): Neighbours {
  const position = all.findIndex((file) => file.path === path)
  if (position !== -1) return { previous: all[position - 1] ?? null, next: all[position + 1] ?? null, all, position }
  const own = files.findIndex((file) => file.path === path)
  if (own === -1) return { previous: null, next: null, all, position }
  const previous = files.findLast((file, index) => index < own && isSteppable(file)) ?? null
  const next = files.find((file, index) => index > own && isSteppable(file)) ?? null
  return { previous, next, all, position }
}
