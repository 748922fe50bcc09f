import { LanguageDescription } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { join, parentOf } from '@filestead/contract'
import { highlightTree } from '@lezer/highlight'
import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'
import { highlightStyle } from './code-look.ts'
import { hasMath, mathExtensions } from './math.ts'

export type MarkdownRenderer = (source: string) => Promise<string>

/**
 * Makes a renderer of Markdown to HTML that can do nothing but be read: no script, no style, no form, no frame, and no
 * picture from elsewhere. `toImage` says where a picture beside the text is found. Parser and sanitiser are made once,
 * those for formulas when the first formula is met.
 */
export function createMarkdownRenderer(toImage: (address: string) => string | null): MarkdownRenderer {
  const plain = parser()
  let withMath: Promise<Marked> | null = null
  const purifier = DOMPurify(window)
  purifier.addHook('afterSanitizeAttributes', (node) => restrict(node, toImage))

  return async (source) => {
    if (hasMath(source)) withMath ??= mathExtensions().then((extensions) => parser().use(extensions))
    const marked = hasMath(source) && withMath !== null ? await withMath : plain
    return purifier.sanitize(await marked.parse(source), {
      USE_PROFILES: { html: true, mathMl: true },
      FORBID_TAGS: forbiddenTags,
      FORBID_ATTR: forbiddenAttributes,
      ALLOW_ARIA_ATTR: false,
    })
  }
}

const parser = (): Marked =>
  new Marked({
    gfm: true,
    async: true,
    async walkTokens(token) {
      if (token.type === 'code') Object.assign(token, { highlighted: await highlight(token as Tokens.Code) })
    },
    renderer: {
      code(token) {
        const { highlighted } = token as Tokens.Code & { highlighted?: string }
        return `<pre><code>${highlighted ?? escapeHtml(token.text)}</code></pre>\n`
      },
      // Not for safety, which the sanitiser is for: browsers complain about handlers even in a tree that never runs them.
      html: ({ text }) => text.replace(/\son\w+\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, ''),
      checkbox({ checked }) {
        // A picture of a box: it is ticked in the text, not in the preview.
        return `<span data-box="${checked}"></span> `
      },
    },
  })

const forbiddenTags = [
  'style',
  'form',
  'input',
  'button',
  'select',
  'textarea',
  'iframe',
  'video',
  'audio',
  'picture',
].concat(['source', 'track', 'dialog', 'link', 'base', 'map', 'area'])

const forbiddenAttributes = ['style', 'id', 'name', 'srcset', 'action', 'formaction', 'background', 'poster'].concat([
  'tabindex',
  'accesskey',
  'autofocus',
  'usemap',
  'ping',
  'popover',
  'is',
  'slot',
  'part',
])

/**
 * Links open in a new tab without a referrer; pictures come from our own server or not at all. This runs while the tree is
 * still inert: nothing has been fetched yet.
 */
function restrict(node: Element, toImage: (address: string) => string | null): void {
  if (node.tagName === 'A') {
    if (!/^(https?:|mailto:)/i.test(node.getAttribute('href') ?? '')) node.removeAttribute('href')
    node.setAttribute('target', '_blank')
    node.setAttribute('rel', 'noopener noreferrer nofollow')
  }
  if (node.tagName === 'IMG') {
    const source = toImage(node.getAttribute('src') ?? '')
    if (source === null) node.removeAttribute('src')
    else node.setAttribute('src', source)
    node.setAttribute('loading', 'lazy')
    if (!node.hasAttribute('alt')) node.setAttribute('alt', '')
  } else node.removeAttribute('src')
}

/** With the parsers that colour the editor. */
async function highlight({ lang, text }: Tokens.Code): Promise<string | undefined> {
  const description = LanguageDescription.matchLanguageName(languages, lang?.split(/\s/)[0] ?? '', false)
  if (description === null || lang === undefined || lang === '') return undefined
  const { language } = await description.load()
  let html = ''
  let end = 0
  highlightTree(language.parser.parse(text), highlightStyle, (from, to, classes) => {
    html += `${escapeHtml(text.slice(end, from))}<span class="${classes}">${escapeHtml(text.slice(from, to))}</span>`
    end = to
  })
  return html + escapeHtml(text.slice(end))
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The address of a picture beside the text: '../img/a.png' and the like. Nothing from other origins. */
export function addressBeside(path: string, address: string, toUrl: (path: string) => string): string | null {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(address))
    return /^data:image\/(png|jpeg|gif|webp);/i.test(address) ? address : null
  const [plain = ''] = address.split(/[?#]/)
  const segments: string[] = []
  for (const segment of (plain.startsWith('/') ? plain : join(parentOf(path), plain)).split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(decode(segment))
  }
  return segments.length === 0 ? null : toUrl(`/${segments.join('/')}`)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
