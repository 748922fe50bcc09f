/** Text that is safe between tags and in attributes, of SVG and of HTML. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

type Attributes = Record<string, string | number | undefined>

/** Children are markup already; text goes through `escapeText` first, or through `label`. */
export function element(name: string, attributes: Attributes, children: string | readonly string[] = []): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}="${typeof value === 'number' ? round(value) : escapeText(value)}"`,
  )
  const content = typeof children === 'string' ? children : children.join('')
  return content === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`
}

export function label(x: number, y: number, text: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escapeText(text))
}

/** What a pointer over the mark tells. */
export function tip(text: string): string {
  return element('title', {}, escapeText(text))
}

/** A tenth of a pixel is more than anyone sees. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}

export interface Plot {
  /** Told to readers who do not see it. */
  title: string
  width: number
  height: number
  marks: string[]
}

/** For a page that has the theme itself. */
export function toInline({ title, width, height, marks }: Plot): string {
  const size = { width, height, viewBox: `0 0 ${round(width)} ${round(height)}` }
  return element('svg', { ...size, role: 'img', 'aria-label': title, class: 'plot' }, marks)
}
