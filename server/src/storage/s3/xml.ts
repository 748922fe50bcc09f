import { Failure } from '../../failure.ts'

/** What an answer of an S3 server consists of: elements with elements, or with text. Attributes mean nothing there. */
export interface Element {
  readonly name: string
  readonly children: readonly Element[]
  readonly text: string
}

/** Refuses whatever is not plain XML, and all of which a document could be made to grow. */
export function parseXml(text: string): Element {
  const root: Open = { name: '', children: [], text: '' }
  const open: Open[] = [root]
  let end = 0
  for (const match of text.matchAll(tokens)) {
    end += match[0].length
    const top = open.at(-1) ?? root
    const { opened, empty, closed, cdata, plain } = match.groups ?? {}
    if (opened !== undefined) {
      const element = { name: opened.replace(/^.*:/, ''), children: [], text: '' }
      top.children.push(element)
      if (empty === '') open.push(element)
      if (open.length > deepest) throw notUnderstood()
    } else if (closed !== undefined) {
      if (open.length < 2 || top.name !== closed.replace(/^.*:/, '')) throw notUnderstood()
      open.pop()
    } else top.text += cdata ?? decoded(plain ?? '')
  }
  const [element, ...more] = root.children
  if (end !== text.length || open.length !== 1 || element === undefined || more.length > 0 || root.text.trim() !== '')
    throw notUnderstood()
  return element
}

interface Open {
  name: string
  children: Open[]
  text: string
}

const deepest = 16

const name = String.raw`[A-Za-z_][\w.:-]*`
const tokens = new RegExp(
  [
    String.raw`<\?xml[^>]*\?>`,
    '<!--[^]*?-->',
    String.raw`<(?<opened>${name})(?:\s+${name}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(?<empty>\/?)>`,
    String.raw`<\/(?<closed>${name})\s*>`,
    String.raw`<!\[CDATA\[(?<cdata>[^]*?)\]\]>`,
    '(?<plain>[^<]+)',
  ].join('|'),
  'gy',
)

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));|&/g, (_, decimal, hexadecimal, entity) => {
        const known = entities[entity ?? '']
        if (known !== undefined) return known
        const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
        if (!(code > 0 && code <= 0x10ffff)) throw notUnderstood()
        return String.fromCodePoint(code)
      })
    : text

const notUnderstood = () => new Failure('unavailable', 'The object storage answered with something that is no XML')

export const childrenOf = (element: Element, name: string): readonly Element[] =>
  element.children.filter((child) => child.name === name)

/** Empty where there is no such child. */
export const textOf = (element: Element, name: string): string =>
  element.children.find((child) => child.name === name)?.text ?? ''

/** Text between two tags. The characters that XML does not know at all are for the caller to avoid: see `isXmlText`. */
export const escaped = (text: string): string => text.replace(/[<>&"\r\n\t]/g, (mark) => `&#${mark.charCodeAt(0)};`)

/** XML knows no control characters but tab and line ends, not even as references. */
export const isXmlText = (text: string): boolean => !/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/u.test(text)
