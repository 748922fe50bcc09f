import type { TocItem } from 'foliate-js/view.js'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { formatPercent } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { note } from '../../../state/personal-storage.ts'
import { sessionSignal } from '../../../state/session-scope.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { positionStore } from '../positions.ts'
import { Gap, Loading, Reader, useViewerKeys } from '../ViewerParts.tsx'
import styles from './BookViewer.module.css'
import { type OpenBook, openBook } from './open-book.ts'

export interface BookViewerProps {
  name: string
  src: string
  /** Under which key the position is kept; null keeps none. */
  positionKey: string | null
  otherwise: ReactNode
}

const positions = positionStore<string>('book-places', 200)
/** The key of the predecessor, so that a chosen size stays. */
const sizeKey = 'book-size'
const sizes = { least: 80, most: 200, usual: 120 }

/** A book, page by page. */
export function BookViewer({ name, src, positionKey, otherwise }: BookViewerProps) {
  const { t } = useTranslation()
  const page = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<OpenBook | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const [fraction, setFraction] = useState(0)
  const [size, setSize] = useState(storedSize)
  const first = useRef({ size, positionKey, name })

  useEffect(() => {
    const into = page.current
    if (into === null) return
    const controller = new AbortController()
    const { positionKey: key } = first.current
    const session = sessionSignal()
    const opening = openBook({
      name: first.current.name,
      src,
      into,
      startAt: key === null ? null : positions.get(key),
      style: styleOf(into, first.current.size),
      signal: controller.signal,
      onLocation: (location) => {
        setFraction(location.fraction ?? 0)
        if (key !== null && !session.aborted) positions.set(key, location.cfi)
      },
      // The viewer around listens on the page, not in the book.
      onKey: (event) => {
        const { key: pressed, code, ctrlKey, metaKey, altKey, shiftKey } = event
        const again = { key: pressed, code, ctrlKey, metaKey, altKey, shiftKey, cancelable: true, bubbles: true }
        if (!document.dispatchEvent(new KeyboardEvent('keydown', again))) event.preventDefault()
      },
    })
    opening.then(setOpen, () => setHasFailed(!controller.signal.aborted))
    return () => {
      controller.abort()
      opening.then((opened) => opened.close()).catch(() => {})
    }
  }, [src])

  function resize(next: number) {
    const bounded = Math.min(sizes.most, Math.max(sizes.least, next))
    setSize(bounded)
    note(localStorage, sizeKey, String(bounded))
    if (page.current !== null) open?.view.renderer.setStyles?.(styleOf(page.current, bounded))
  }

  // The library ignores a turn while a page is still turning: the next press waits for it.
  const turning = useRef<Promise<void>>(Promise.resolve())
  const turn = (way: 'prev' | 'next' | 'goLeft' | 'goRight') => () => {
    turning.current = turning.current.then(() => open?.view[way]()).catch(() => {})
  }
  const [toLeft, toRight, toNext] = [turn('goLeft'), turn('goRight'), turn('next')]
  const keys = { ArrowLeft: toLeft, ArrowRight: toRight, ' ': toNext, PageDown: toNext, PageUp: turn('prev') }
  useViewerKeys(hasFailed ? {} : keys)

  if (hasFailed) return otherwise
  return (
    <Reader
      label={t('preview.book')}
      tools={
        <>
          {open !== null && (open.book.toc?.length ?? 0) > 0 && (
            <Menu
              label={t('preview.contents')}
              trigger={<IconButton icon="list" label={t('preview.contents')} />}
              sections={[
                flatten(open.book.toc ?? []).map(({ label, href }, index) => ({
                  id: `${index} ${href}`,
                  label,
                  onSelect: () => void open.view.goTo(href),
                })),
              ]}
            />
          )}
          <Gap />
          <IconButton icon="chevron-left" label={t('preview.previousPage')} onClick={turn('prev')} />
          <span className={styles.fraction}>{formatPercent(fraction)}</span>
          <IconButton icon="chevron-right" label={t('preview.nextPage')} onClick={toNext} />
          <Gap />
          <IconButton
            icon="text-minus"
            label={t('preview.smallerFont')}
            disabled={size <= sizes.least}
            onClick={() => resize(size - 10)}
          />
          <IconButton
            icon="text-plus"
            label={t('preview.largerFont')}
            disabled={size >= sizes.most}
            onClick={() => resize(size + 10)}
          />
        </>
      }
    >
      <div ref={page} className={styles.page} role="document" aria-label={name} data-size={size} />
      {open === null && <Loading />}
    </Reader>
  )
}

/** Chapters and what is in them, the latter indented. */
function flatten(items: readonly TocItem[], depth = 0): TocItem[] {
  return items.flatMap(({ label, href, subitems }) => [
    { label: `${'\u2003'.repeat(depth)}${label.trim()}`, href },
    ...flatten(subitems ?? [], depth + 1),
  ])
}

function storedSize(): number {
  const stored = Number(localStorage.getItem(sizeKey) ?? sizes.usual)
  return stored >= sizes.least && stored <= sizes.most ? stored : sizes.usual
}

/** The book is a document of its own: colours and sizes of the page have to be passed on. */
function styleOf(page: HTMLElement, size: number): string {
  const { color, colorScheme } = getComputedStyle(page)
  return `
    html { color-scheme: ${colorScheme}; color: ${color}; font-size: ${size}%; line-height: 1.55; hyphens: auto; }
    html, body { background: transparent !important; }
    p, li, blockquote, dd { line-height: 1.55; text-align: start; hyphens: auto; orphans: 2; widows: 2; }
    a:any-link { color: inherit; text-underline-offset: 3px; }
    img, svg { max-inline-size: 100%; }
  `
}
