import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import styles from './GalleryPart.module.css'
import { type AskMedia, type Gallery, keepInView, layOutGallery, openGallery } from './gallery.ts'
import type { Layout } from './layout.ts'

// Everything that only galleries need. It is loaded when the first one is shown.

export { layOutGallery, styles }

interface ShapesProps {
  scroller: RefObject<HTMLElement | null>
  layout: Layout
  entries: readonly Entry[]
  /** So many come first. */
  folders: number
  /** The entries that are drawn. */
  indices: readonly number[]
  ask: AskMedia | undefined
  onNews: () => void
}

/** Asks for the shapes of what is drawn, and keeps in view what is there when they arrive. */
export function Shapes({ scroller, layout, entries, folders, indices, ask, onNews }: ShapesProps) {
  const gallery = useRef<Gallery | null>(null)
  const tell = useEffectEvent(onNews)
  const want = useEffectEvent(() => {
    const shown = indices.filter((index) => index >= folders)
    const [first, last] = [shown[0], shown.at(-1)]
    if (first !== undefined && last !== undefined)
      gallery.current?.want(entries.slice(folders), first - folders, last - folders)
  })

  useEffect(() => {
    gallery.current = openGallery(ask ?? noMedia, () => tell())
    want()
    return () => gallery.current?.stop()
  }, [ask])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is the trigger
  useEffect(() => want(), [indices, entries])

  const before = useRef({ layout, entries })
  useLayoutEffect(() => {
    const last = before.current
    before.current = { layout, entries }
    if (last.layout !== layout && last.entries === entries && scroller.current !== null)
      keepInView(scroller.current, last.layout, layout)
  }, [scroller, layout, entries])
  return null
}

/** Where shapes are not told, all pictures have a usual one. */
const noMedia: AskMedia = async () => []
