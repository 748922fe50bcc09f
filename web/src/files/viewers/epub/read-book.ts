import type { Book } from 'foliate-js/view.js'

/** Unpacks a book. Event handlers in its parts are renamed before anything parses them. */
export async function readBook(file: Blob): Promise<Book> {
  const [{ EPUB }, zip] = await Promise.all([
    import('foliate-js/epub.js'),
    import('foliate-js/vendor/zip.js'),
    // Registers the element that shows it.
    import('foliate-js/view.js'),
  ])
  zip.configure({ useWebWorkers: false })
  const entries = await new zip.ZipReader(new zip.BlobReader(file)).getEntries()
  const byName = new Map(entries.map((entry) => [entry.filename, entry]))
  return new EPUB({
    async loadText(name) {
      const text = await byName.get(name)?.getData(new zip.TextWriter())
      return text === undefined ? null : renameEventHandlers(text)
    },
    loadBlob: async (name, type) => (await byName.get(name)?.getData(new zip.BlobWriter(type))) ?? null,
    getSize: (name) => byName.get(name)?.uncompressedSize ?? 0,
  }).init()
}

const tag = /<[a-z](?:"[^"]*"|'[^']*'|[^'">])*>/gi
const handler = /(["'\s])on(?=[a-z]+\s*=)/gi

/**
 * In the text of the markup, tag by tag: browsers report event handlers as soon as they are parsed, even where they could
 * never run. What this misses is removed from the parsed document.
 */
export const renameEventHandlers = (text: string): string =>
  text.replaceAll(tag, (found) => found.replaceAll(handler, '$1data-on'))
