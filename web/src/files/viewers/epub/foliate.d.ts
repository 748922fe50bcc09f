/** The part of foliate-js that is used here; it comes without types. */
declare module 'foliate-js/view.js' {
  export interface TocItem {
    label: string
    href: string
    subitems?: TocItem[] | null
  }

  export interface Book {
    toc?: TocItem[] | null
    /** Sends `data` before any part of the book is shown; what is put into the detail is shown instead. */
    transformTarget?: EventTarget
    destroy?(): void
  }

  export interface Renderer extends HTMLElement {
    setStyles?(css: string): void
  }

  export interface BookElement extends HTMLElement {
    renderer: Renderer
    open(book: Book): Promise<void>
    init(start: { lastLocation?: string | undefined; showTextStart?: boolean }): Promise<void>
    close(): void
    prev(): Promise<void>
    next(): Promise<void>
    goLeft(): Promise<void>
    goRight(): Promise<void>
    goTo(href: string): Promise<unknown>
  }

  export interface BookLocation {
    cfi: string
    fraction?: number
    tocItem?: TocItem | null
  }
}

declare module 'foliate-js/epub.js' {
  import type { Book } from 'foliate-js/view.js'

  export class EPUB {
    constructor(loader: {
      loadText(name: string): Promise<string | null>
      loadBlob(name: string, type?: string): Promise<Blob | null>
      getSize(name: string): number
    })
    init(): Promise<Book>
  }
}

declare module 'foliate-js/vendor/zip.js' {
  export class TextWriter {
    private readonly writes: 'text'
  }
  export class BlobWriter {
    constructor(type?: string)
    private readonly writes: 'blob'
  }
  export class BlobReader {
    constructor(blob: Blob)
  }
  export interface Entry {
    filename: string
    uncompressedSize: number
    getData(writer: TextWriter): Promise<string>
    getData(writer: BlobWriter): Promise<Blob>
  }
  export class ZipReader {
    constructor(reader: BlobReader)
    getEntries(): Promise<Entry[]>
  }
  export function configure(options: { useWebWorkers: boolean }): void
}
