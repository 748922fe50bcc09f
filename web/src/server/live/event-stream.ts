import { throwConnectionLost } from '../client.ts'

/** One event of an answer of the type text/event-stream. */
interface StreamEvent {
  name: string
  data: string
}

/** What came at once: events, which may be none, and the last id. Null until there was one. */
interface Arrival {
  events: StreamEvent[]
  id: string | null
}

/** What an answer tells, as it arrives. Comments keep a connection open, and count as a sign of life. */
export async function* eventsIn({ body }: Response): AsyncGenerator<Arrival> {
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let id: string | null = null
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(throwConnectionLost)
      // What is not closed by an empty line is no event.
      if (done) return
      const blocks = (rest + value).split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      const events: StreamEvent[] = []
      for (const block of blocks) {
        const fields = fieldsOf(block)
        id = fields.id ?? id
        if (fields.data !== undefined) events.push({ name: fields.event ?? 'message', data: fields.data })
      }
      yield { events, id }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

function fieldsOf(block: string): { event?: string; data?: string; id?: string } {
  const fields: Record<string, string> = {}
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (name === 'data' && fields.data !== undefined) fields.data += `\n${value}`
    else fields[name] = value
  }
  return fields
}
