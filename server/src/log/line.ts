/** What a line tells besides its message. An error is told as `err`. */
export type Facts = Readonly<Record<string, unknown>>

/** One JSON object. `level` and `time` come first, whatever the facts are. */
export function lineOf(level: string, facts: Facts, message: string | undefined): string {
  const start = `{"level":"${level}","time":"${new Date().toISOString()}"`
  const rest = textOf(facts, message)
  const line = rest === '{}' ? `${start}}` : `${start},${rest.slice(1)}`
  return `${line.replace(obeyed, escaped)}\n`
}

/** What cannot be told must neither lose the line nor fail the caller: errors come from anywhere. */
function textOf(facts: Facts, message: string | undefined): string {
  try {
    const { err } = facts
    return JSON.stringify({ ...facts, ...(err !== undefined && { err: told(err) }), msg: message })
  } catch {
    const plain = Object.entries(facts).filter(([, fact]) => isPlain(fact))
    return JSON.stringify({ ...Object.fromEntries(plain), err: textOfAny(facts.err), msg: message })
  }
}

const isPlain = (fact: unknown): boolean => ['string', 'number', 'boolean', 'undefined'].includes(typeof fact)

function textOfAny(thrown: unknown): string | undefined {
  try {
    return thrown === undefined ? undefined : String(thrown)
  } catch {
    return 'An error that cannot be told'
  }
}

/**
 * What JSON leaves as it is although a terminal or a reader of lines obeys it: control characters beyond ASCII, further
 * separators of lines, and marks that turn the direction of writing.
 */
const obeyed = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Longer chains of causes are circles. */
const mostCauses = 8
const mostErrors = 10

/**
 * An error with its causes. Of its own properties only plain ones, such as the code of a system call: what else libraries attach
 * may be a whole request, with its passwords.
 */
function told(error: unknown, isOneOfSeveral = false): unknown {
  if (!(error instanceof Error)) return isPlain(error) ? error : messageOf(error)
  const chain: unknown[] = []
  for (let next: unknown = error; next !== undefined && chain.length < mostCauses; ) {
    chain.push(next)
    next = next instanceof Error ? next.cause : undefined
  }
  const own = Object.entries(error).filter(([, property]) => isPlain(property))
  return {
    type: error.name,
    message: chain.map(messageOf).join(': '),
    stack: chain.map((each) => (each instanceof Error && each.stack) || messageOf(each)).join('\ncaused by: '),
    ...(error instanceof AggregateError &&
      !isOneOfSeveral && { errors: error.errors.slice(0, mostErrors).map((each) => told(each, true)) }),
    ...Object.fromEntries(own),
  }
}

/** Libraries also throw objects that only look like errors. */
function messageOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown }
  return typeof message === 'string' ? message : String(error)
}
