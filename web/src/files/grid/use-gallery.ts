import { useEffect, useMemo, useState } from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import { type Layout, layOut, type Measures } from './layout.ts'

const load = async () => {
  const { Shapes, layOutGallery, styles } = await import('./GalleryPart.tsx')
  return { Shapes, layOutGallery, styles }
}

type Part = Awaited<ReturnType<typeof load>>

/** The code of galleries, once it was needed. */
let loaded: Part | undefined

interface GridLayout {
  layout: Layout
  /** Of a gallery. Null where it could not be loaded: the entries are cards then. */
  part: Part | null | undefined
  /** New shapes are known. */
  onNews: () => void
}

/** The layout of the entries: empty until the width is known, and in a gallery until its code is there. */
export function useGridLayout(measures: Measures, entries: readonly Entry[]): GridLayout {
  const { mode, width, folders, files, rowHeight, isNarrow } = measures
  const isGallery = mode === 'mosaic gallery'
  const [part, setPart] = useState<Part | null | undefined>(loaded)
  const [news, setNews] = useState(0)

  useEffect(() => {
    if (!isGallery || part !== undefined) return
    load().then(
      (found) => {
        loaded = found
        setPart(found)
      },
      () => setPart(null),
    )
  }, [isGallery, part])

  // biome-ignore lint/correctness/useExhaustiveDependencies: new shapes are read by the part
  const layout = useMemo(() => {
    const plain = { mode, width, folders, files, rowHeight, isNarrow }
    if (isGallery && part) return part.layOutGallery(plain, entries)
    return layOut(width === 0 || (isGallery && part === undefined) ? { ...plain, folders: 0, files: 0 } : plain)
  }, [mode, width, folders, files, rowHeight, isNarrow, isGallery, part, entries, news])

  return { layout, part: isGallery ? part : undefined, onNews: () => setNews((count) => count + 1) }
}
