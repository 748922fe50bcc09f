/** The query of a URL, decoded on first use. Of a repeated name the first value counts, unless it is a list. */
export class Query {
  readonly #text: string
  #values: Map<string, string[]> | undefined

  constructor(url: string) {
    const start = url.indexOf('?')
    this.#text = start === -1 ? '' : url.slice(start + 1)
  }

  get isEmpty(): boolean {
    return this.#text === ''
  }

  get(name: string): string | undefined {
    return this.isEmpty ? undefined : this.#all().get(name)?.[0]
  }

  /** With all values of the names that are lists. */
  entries(lists?: ReadonlySet<string>): Record<string, string | string[]> {
    return Object.fromEntries(
      this.#all()
        .entries()
        .map(([name, values]) => [name, lists?.has(name) ? values : (values[0] ?? '')]),
    )
  }

  #all(): Map<string, string[]> {
    this.#values ??= parse(this.#text)
    return this.#values
  }
}

/** More values of one name are not kept. */
const mostRepeated = 1000

function parse(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals === -1 ? part : part.slice(0, equals))
    const value = equals === -1 ? '' : decoded(part.slice(equals + 1))
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else if (known.length < mostRepeated) known.push(value)
  }
  return values
}

function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    // Escapes that are no UTF-8 stay as they are; the others are decoded.
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
      try {
        return decodeURIComponent(escaped)
      } catch {
        return escaped
      }
    })
  }
}
