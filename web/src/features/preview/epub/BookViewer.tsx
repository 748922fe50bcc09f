import type { TocItem } from 'foliate-js/view.js'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatPercent } from '../../../i18n/format.ts'
import { sessionSignal } from '../../../state/session-scope.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { useKeys } from '../keys.ts'
import { Gap, Reader } from '../Reader.tsx'
import { memory } from '../remembered.ts'
import { Waiting } from '../Waiting.tsx'
import styles from './BookViewer.module.css'
import { type OpenBook, openBook } from './open-book.ts'

export interface BookViewerProps {
  name: string
  src: string
  /** Under which name the page is remembered; null not to. */
  rememberAs: string | null
  otherwise: ReactNode
}

const places = memory<string>('book-places', 200)
/** As the predecessor called it, so that a chosen size stays. */
const sizeKey = 'book-size'
const sizes = { least: 80, most: 200, usual: 120 }

/** A book, page by page. */
export function BookViewer({ name, src, rememberAs, otherwise }: BookViewerProps) {
  const { t } = useTranslation()
  const page = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<OpenBook | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const [fraction, setFraction] = useState(0)
  const [size, setSize] = useState(storedSize)
  const first = useRef({ size, rememberAs, name })

  useEffect(() => {
    const into = page.current
    if (into === null) return
    const controller = new AbortController()
    const { rememberAs: key } = first.current
    const session = sessionSignal()
    const opening = openBook({
      name: first.current.name,
      src,
      into,
      startAt: key === null ? null : places.recall(key),
      style: styleOf(into, first.current.size),
      signal: controller.signal,
      onPlace: (place) => {
        setFraction(place.fraction ?? 0)
        if (key !== null && !session.aborted) places.remember(key, place.cfi)
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
    localStorage.setItem(sizeKey, String(bounded))
    if (page.current !== null) open?.view.renderer.setStyles?.(styleOf(page.current, bounded))
  }

  // A page that is still turning takes no other turn: the next press waits for it instead of being lost.
  const turning = useRef<Promise<void>>(Promise.resolve())
  const turn = (way: 'prev' | 'next' | 'goLeft' | 'goRight') => () => {
    turning.current = turning.current.then(() => open?.view[way]()).catch(() => {})
  }
  const [toLeft, toRight, toNext] = [turn('goLeft'), turn('goRight'), turn('next')]
  const keys = { ArrowLeft: toLeft, ArrowRight: toRight, ' ': toNext, PageDown: toNext, PageUp: turn('prev') }
  useKeys(hasFailed ? {} : keys)

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
      {open === null && <Waiting />}
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

/** The book is a page of its own: what it takes from ours has to be handed over. */
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
