/**
 * Takes out of a part of a book whatever could run or reach out. The page's own policy forbids both as well; this is
 * the first of two walls, and it keeps the second from complaining.
 */
export function scrub(text: string, type: string): string {
  if (type === 'text/css') return scrubStyle(text)
  if (!(type in parsers)) return text
  const document = new DOMParser().parseFromString(text, type as DOMParserSupportedType)
  if (document.querySelector('parsererror') !== null) return ''
  for (const element of document.querySelectorAll(harmful)) element.remove()
  for (const element of document.querySelectorAll('*')) scrubElement(element)
  for (const child of [...document.childNodes])
    if (child instanceof ProcessingInstruction && child.target !== 'xml') child.remove()
  return new XMLSerializer().serializeToString(document)
}

const parsers = { 'application/xhtml+xml': true, 'text/html': true, 'image/svg+xml': true }

const harmful =
  'script, iframe, frame, object, embed, base, meta[http-equiv], form, set, animate, foreignObject > *|script'

function scrubElement(element: Element): void {
  for (const attribute of [...element.attributes]) {
    const name = attribute.localName.toLowerCase()
    const isHandler = name.startsWith('on')
    const isAddress = [
      'src',
      'srcset',
      'href',
      'poster',
      'data',
      'action',
      'formaction',
      'background',
      'ping',
    ].includes(name)
    if (isHandler || (isAddress && !isHarmless(element, name, attribute.value))) element.removeAttributeNode(attribute)
    else if (name === 'style') attribute.value = scrubStyle(attribute.value)
  }
  if (element.localName === 'style') element.textContent = scrubStyle(element.textContent ?? '')
}

/** What is in the book has been given addresses of this page by now. Links lead on only when somebody follows them. */
function isHarmless(element: Element, name: string, value: string): boolean {
  const address = value
    .trim()
    .toLowerCase()
    .replaceAll(/\s|\p{Cc}/gu, '')
  if (name === 'href' && element.localName === 'a') return !/^(javascript|vbscript|data):/.test(address)
  return /^(blob:|#|data:(image|font|audio|video)\/)/.test(address) && !address.startsWith('data:image/svg')
}

/** Style sheets may fetch nothing but parts of the book. */
const scrubStyle = (css: string): string =>
  css
    .replaceAll(/@import\s+(?:url\()?\s*["']?(?!blob:)[^;]*;?/gi, '')
    .replaceAll(/url\(\s*["']?\s*(?!blob:|#|data:(?:image|font)\/)[^)]*\)/gi, 'none')
