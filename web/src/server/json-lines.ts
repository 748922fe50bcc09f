import { throwConnectionLost } from './client.ts'

/** The objects of an answer that has one a line, as they arrive, a handful at a time. Blank lines keep a connection open. */
export async function* jsonLines<Item>({ body }: Response): AsyncGenerator<Item[]> {
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read().catch(throwConnectionLost)
    const lines = (rest + (value ?? '')).split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    const items = lines.filter((line) => line.trim() !== '').map((line): Item => JSON.parse(line))
    if (items.length > 0) yield items
    if (done) return
  }
}
