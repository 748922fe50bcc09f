/** What a line tells besides its message. An error is told as `err`. */
export type Facts = Readonly<Record<string, unknown>>

/** One JSON object. `level` and `time` come first, whatever the facts are. */
export function lineOf(level: string, facts: Facts, message: string | undefined): string {
  const start = `{"level":"${level}","time":"${new Date().toISOString()}"`
  const rest = textOf({ ...facts, ...(facts.err !== undefined && { err: told(facts.err) }), msg: message })
  const line = rest === '{}' ? `${start}}` : `${start},${rest.slice(1)}`
  return `${line.replace(obeyed, escaped)}\n`
}

/** A fact that JSON cannot express must not lose the line. */
function textOf(facts: Facts): string {
  try {
    return JSON.stringify(facts)
  } catch {
    const plain = Object.entries(facts).map(([name, fact]) => [name, isPlain(fact) ? fact : String(fact)])
    return JSON.stringify({ ...Object.fromEntries(plain), err: facts.err })
  }
}

const isPlain = (fact: unknown): boolean => ['string', 'number', 'boolean', 'undefined'].includes(typeof fact)

/**
 * What JSON leaves as it is although a terminal or a reader of lines obeys it: control characters beyond ASCII, further
 * separators of lines, and marks that turn the direction of writing.
 */
const obeyed = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Longer chains of causes are circles. */
const mostCauses = 8

/**
 * An error with its causes. Of its own properties only plain ones, such as the code of a system call: what else libraries attach
 * may be a whole request, with its passwords.
 */
function told(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return isPlain(error) ? error : String(error)
  const chain: Error[] = []
  for (let next: unknown = error; next instanceof Error && chain.length < mostCauses; next = next.cause)
    chain.push(next)
  const own = Object.entries(error).filter(([, property]) => isPlain(property))
  return {
    type: error.name,
    message: chain.map(({ message }) => message).join(': '),
    stack: chain.map(({ stack, message }) => stack ?? message).join('\ncaused by: '),
    ...(error instanceof AggregateError &&
      depth < mostCauses && { errors: error.errors.map((each) => told(each, depth + 1)) }),
    ...Object.fromEntries(own),
  }
}
