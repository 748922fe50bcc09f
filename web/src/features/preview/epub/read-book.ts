import type { Book } from 'foliate-js/view.js'
import { disarm } from './disarm.ts'

/** Takes a book apart. Its parts are disarmed before anybody parses them. */
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
      return text === undefined ? null : disarm(text)
    },
    loadBlob: async (name, type) => (await byName.get(name)?.getData(new zip.BlobWriter(type))) ?? null,
    getSize: (name) => byName.get(name)?.uncompressedSize ?? 0,
  }).init()
}
