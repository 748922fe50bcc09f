/**
 * Removes from a part of a book whatever could run or fetch. The page's policy forbids both as well; this comes first, and
 * keeps the browser from reporting violations.
 */
export function sanitize(text: string, type: string): string {
  if (type === 'text/css') return sanitizeStyle(text)
  if (!(type in parsers)) return text
  const document = new DOMParser().parseFromString(text, type as DOMParserSupportedType)
  if (document.querySelector('parsererror') !== null) return ''
  for (const element of document.querySelectorAll(harmful)) element.remove()
  for (const element of document.querySelectorAll('*')) sanitizeElement(element)
  for (const child of [...document.childNodes])
    if (child instanceof ProcessingInstruction && child.target !== 'xml') child.remove()
  return new XMLSerializer().serializeToString(document)
}

const parsers = { 'application/xhtml+xml': true, 'text/html': true, 'image/svg+xml': true }

const harmful =
  'script, iframe, frame, object, embed, base, meta[http-equiv], form, set, animate, foreignObject > *|script'

function sanitizeElement(element: Element): void {
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
    else if (name === 'style') attribute.value = sanitizeStyle(attribute.value)
  }
  if (element.localName === 'style') element.textContent = sanitizeStyle(element.textContent ?? '')
}

/** Parts of the book have blob addresses by now. Links are allowed: they fetch nothing until they are followed. */
function isHarmless(element: Element, name: string, value: string): boolean {
  const address = value
    .trim()
    .toLowerCase()
    .replaceAll(/\s|\p{Cc}/gu, '')
  if (name === 'href' && element.localName === 'a') return !/^(javascript|vbscript|data):/.test(address)
  return /^(blob:|#|data:(image|font|audio|video)\/)/.test(address) && !address.startsWith('data:image/svg')
}

/** Style sheets may fetch nothing but parts of the book. */
const sanitizeStyle = (css: string): string =>
  css
    .replaceAll(/@import\s+(?:url\()?\s*["']?(?!blob:)[^;]*;?/gi, '')
    .replaceAll(/url\(\s*["']?\s*(?!blob:|#|data:(?:image|font)\/)[^)]*\)/gi, 'none')
