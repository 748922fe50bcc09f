import { zip } from './zip.ts'

/** An EPUB of these chapters, each given as the inside of its body. */
export function book(title: string, chapters: readonly { title: string; body: string; head?: string }[]): Uint8Array {
  const page = (heading: string, body: string, head = '') =>
    `<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>${heading}</title>${head}</head><body>${body}</body></html>`
  const items = chapters.map((_, i) => `<item id="c${i}" href="c${i}.xhtml" media-type="application/xhtml+xml"/>`)
  const spine = chapters.map((_, i) => `<itemref idref="c${i}"/>`)
  const links = chapters.map((chapter, i) => `<li><a href="c${i}.xhtml">${chapter.title}</a></li>`)
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/content.opf': `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">${title}</dc:identifier><dc:title>${title}</dc:title><dc:language>en</dc:language></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    'OEBPS/nav.xhtml': page('Contents', `<nav epub:type="toc"><ol>${links.join('')}</ol></nav>`),
    ...Object.fromEntries(
      chapters.map((chapter, i) => [`OEBPS/c${i}.xhtml`, page(chapter.title, chapter.body, chapter.head)]),
    ),
  })
}
