import { type ReactNode, useEffect, useRef, useState } from 'react'
import { formatPercent } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Gap, Loading, Reader, useViewerKeys, ValueButton } from '../ViewerParts.tsx'
import { FindBar, type Found } from './FindBar.tsx'
import { openPdf, type Pdf } from './open-pdf.ts'
import { Page } from './Page.tsx'
import styles from './PdfViewer.module.css'

export interface PdfViewerProps {
  name: string
  src: string
  otherwise: ReactNode
}

const nothingFound: Found = { text: '', current: null }

interface Opened {
  pdf: Pdf
  /** The size of the first page at a zoom of 1; most documents have one size. */
  width: number
  height: number
}

/** A PDF drawn by pdf.js, page under page, so that it looks and behaves like the other viewers in every browser. */
export function PdfViewer({ name, src, otherwise }: PdfViewerProps) {
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const [zoom, setZoom] = useState(1)
  const [current, setCurrent] = useState(1)
  const [space, setSpace] = useState(0)
  const [found, setFound] = useState<Found>(nothingFound)

  useEffect(() => {
    const task = openPdf(src)
    let isGone = false
    const open = async () => {
      const pdf = await task.promise
      const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 })
      if (!isGone) setOpened({ pdf, width, height })
    }
    open().catch(() => !isGone && setHasFailed(true))
    return () => {
      isGone = true
      void task.destroy()
    }
  }, [src])

  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => setSpace(element.clientWidth)
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])

  const larger = () => setZoom(Math.min(4, zoom * 1.25))
  const smaller = () => setZoom(Math.max(0.5, zoom / 1.25))
  useViewerKeys({ '+': larger, '=': larger, '-': smaller, '0': () => setZoom(1) })

  if (hasFailed) return otherwise
  // As wide as the screen, up to a width that can be read.
  const scale = opened === null ? 1 : (Math.min(space - 24, 900) / opened.width) * zoom
  const count = opened?.pdf.numPages ?? 0

  return (
    <Reader
      label={t('preview.view')}
      tools={
        <>
          <IconButton icon="zoom-out" label={t('preview.zoomOut')} hint="−" onClick={smaller} />
          <ValueButton label={t('preview.resetZoom')} hint="0" value={formatPercent(zoom)} onClick={() => setZoom(1)} />
          <IconButton icon="zoom-in" label={t('preview.zoomIn')} hint="+" onClick={larger} />
          <Gap />
          {opened !== null && <FindBar pdf={opened.pdf} onFound={setFound} />}
          <Gap />
          {count > 0 && <span className={styles.position}>{t('preview.pageOf', { page: current, pages: count })}</span>}
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div ref={scroller} className={styles.scroller} role="document" aria-label={name} tabIndex={0} data-own-keys>
        {opened === null ? (
          <Loading />
        ) : (
          Array.from({ length: count }, (_, index) => (
            <Page
              // biome-ignore lint/suspicious/noArrayIndexKey: a page is its number
              key={index}
              pdf={opened.pdf}
              number={index + 1}
              label={t('preview.page', { page: index + 1 })}
              scale={scale}
              expected={opened}
              scroller={scroller}
              text={found.text}
              match={found.current?.page === index + 1 ? found.current.index : null}
              onCurrent={setCurrent}
            />
          ))
        )}
      </div>
    </Reader>
  )
}
