import { type CSSProperties, type RefObject, useEffect, useRef, useState } from 'react'
import { rangesOf } from './find.ts'
import { type Pdf, TextLayer } from './open-pdf.ts'
import styles from './PdfViewer.module.css'

interface PageProps {
  pdf: Pdf
  number: number
  label: string
  scale: number
  /** The size it gets until it is known. */
  expected: { width: number; height: number }
  scroller: RefObject<HTMLElement | null>
  /** What is looked for, and which of its occurrences on this page is to be seen. */
  text: string
  match: number | null
  onCurrent(number: number): void
}

/** One page: drawn when it comes near, cleared when it is far away. */
export function Page({ pdf, number, label, scale, expected, scroller, text: sought, match, onCurrent }: PageProps) {
  const box = useRef<HTMLElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const text = useRef<HTMLDivElement>(null)
  const [isNear, setIsNear] = useState(false)
  const [isDrawn, setIsDrawn] = useState(false)
  const [size, setSize] = useState(expected)

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const near = new IntersectionObserver(([entry]) => setIsNear(entry?.isIntersecting === true), {
      root: scroller.current,
      rootMargin: '100% 0px',
    })
    const middle = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && onCurrent(number), {
      root: scroller.current,
      rootMargin: '-50% 0px',
    })
    near.observe(element)
    middle.observe(element)
    return () => {
      near.disconnect()
      middle.disconnect()
    }
  }, [scroller, number, onCurrent])

  useEffect(() => {
    if (!isNear) return
    let stop = () => {}
    let isGone = false
    const draw = async () => {
      const page = await pdf.getPage(number)
      if (isGone || canvas.current === null || text.current === null) return
      const viewport = page.getViewport({ scale })
      setSize({ width: viewport.width / scale, height: viewport.height / scale })
      // As many points as the screen has, within what phones can hold.
      const density = Math.min(devicePixelRatio || 1, Math.sqrt(16_000_000 / (viewport.width * viewport.height)))
      canvas.current.width = Math.floor(viewport.width * density)
      canvas.current.height = Math.floor(viewport.height * density)
      const task = page.render({
        canvas: canvas.current,
        viewport,
        transform: [density, 0, 0, density, 0, 0],
      })
      const layer = new TextLayer({ textContentSource: page.streamTextContent(), container: text.current, viewport })
      stop = () => {
        task.cancel()
        layer.cancel()
      }
      await Promise.all([task.promise, layer.render()])
      setIsDrawn(true)
    }
    // Breaking off is no failure; a page that cannot be drawn stays white.
    draw().catch(() => {})
    const layer = text.current
    return () => {
      isGone = true
      stop()
      setIsDrawn(false)
      layer?.replaceChildren()
    }
  }, [pdf, number, scale, isNear])

  // A page that is far away is drawn once it is in view, and then shows the place.
  useEffect(() => {
    if (match !== null && !isDrawn) box.current?.scrollIntoView({ block: 'nearest' })
  }, [match, isDrawn])
  useEffect(() => {
    if (!isDrawn || text.current === null || sought === '') return
    return markFound(rangesOf(sought, text.current), match)
  }, [isDrawn, sought, match])

  return (
    <section
      ref={box}
      className={styles.page}
      aria-label={label}
      data-drawn={isDrawn}
      style={
        {
          inlineSize: size.width * scale,
          blockSize: size.height * scale,
          '--total-scale-factor': scale,
          '--scale-round-x': '1px',
          '--scale-round-y': '1px',
        } as CSSProperties
      }
    >
      {isNear && <canvas ref={canvas} />}
      <div ref={text} className={styles.text} dir="ltr" />
    </section>
  )
}

/** Marks what was found, without changing the page; browsers that cannot only scroll to it. Answers how to undo it. */
function markFound(ranges: readonly Range[], current: number | null): () => void {
  const shown = current === null ? undefined : ranges[current]
  shown?.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' })
  if (typeof Highlight === 'undefined') return () => {}
  const marks = ranges.map((range) => ({ range, name: range === shown ? 'pdf-match' : 'pdf-matches' }))
  for (const { range, name } of marks) {
    const highlight = CSS.highlights.get(name) ?? new Highlight()
    highlight.add(range)
    CSS.highlights.set(name, highlight)
  }
  return () => {
    for (const { range, name } of marks) CSS.highlights.get(name)?.delete(range)
  }
}
