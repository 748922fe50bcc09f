import type { Book, BookElement, BookLocation } from 'foliate-js/view.js'
import { readBook } from './read-book.ts'
import { sanitize } from './sanitize.ts'

export interface OpenBook {
  book: Book
  view: BookElement
  close(): void
}

interface Opening {
  name: string
  src: string
  into: HTMLElement
  startAt: string | null
  style: string
  signal: AbortSignal
  onLocation(location: BookLocation): void
  /** Keys pressed inside the book, which is a page of its own. */
  onKey(event: KeyboardEvent): void
}

/** Fetches a book and puts its pages into an element. */
export async function openBook({
  name,
  src,
  into,
  startAt,
  style,
  signal,
  onLocation,
  onKey,
}: Opening): Promise<OpenBook> {
  const response = await fetch(src, { signal })
  if (!response.ok) throw new Error(`The server answered ${response.status}`)
  const file = await response.blob()
  const book = await readBook(file)
  book.transformTarget?.addEventListener('data', (event) => {
    const { detail } = event as CustomEvent<{ data: Promise<unknown> | unknown; type: string }>
    const { type } = detail
    detail.data = Promise.resolve(detail.data).then((data) => (typeof data === 'string' ? sanitize(data, type) : data))
  })
  signal.throwIfAborted()

  const view = document.createElement('foliate-view') as BookElement
  view.addEventListener('relocate', (event) => onLocation((event as CustomEvent<BookLocation>).detail))
  view.addEventListener('load', (event) => {
    const { doc } = (event as CustomEvent<{ doc: Document }>).detail
    doc.addEventListener('keydown', onKey)
    doc.defaultView?.frameElement?.setAttribute('title', name)
  })
  view.addEventListener('external-link', (event) => {
    event.preventDefault()
    const { href } = (event as CustomEvent<{ href: string }>).detail
    if (/^https?:/i.test(href)) window.open(href, '_blank', 'noopener,noreferrer')
  })
  into.append(view)
  await view.open(book)
  view.renderer.setStyles?.(style)
  view.renderer.setAttribute('max-inline-size', '720px')
  view.renderer.setAttribute('margin', '40px')
  view.renderer.setAttribute('gap', '6%')
  await view.init({ lastLocation: startAt ?? undefined })
  return {
    book,
    view,
    close() {
      view.close()
      view.remove()
      book.destroy?.()
    },
  }
}
