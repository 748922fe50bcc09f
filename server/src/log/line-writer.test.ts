import { expect, test } from 'bun:test'
import { lineWriter, type Sink } from './line-writer.ts'

const lostLine = (count: number) => `lost ${count}\n`

/** A sink that takes `bytes` bytes a write, and fails while `isFull`. */
function sinkOf({ bytes = Number.POSITIVE_INFINITY } = {}) {
  const sink = {
    text: '',
    isFull: false,
    failed: 0,
    writeSync(piece: Uint8Array) {
      if (sink.isFull) {
        sink.failed += 1
        throw new Error('no space left on device')
      }
      const taken = piece.subarray(0, bytes)
      sink.text += Buffer.from(taken).toString()
      return taken.length
    },
    write: async (piece: Uint8Array) => sink.writeSync(piece),
  }
  return sink
}

test('lines of one turn go out together and in order, however little a write takes', async () => {
  const sink = sinkOf({ bytes: 3 })
  const writer = lineWriter(sink, { lostLine })
  writer.write('first\n')
  writer.write('second ä\n')
  expect(sink.text).toBe('')
  await writer.flush()
  expect(sink.text).toBe('first\nsecond ä\n')
})

test('a full disk keeps lines until there is room, and tells how many did not fit', async () => {
  const sink = sinkOf()
  const writer = lineWriter(sink, { most: 20, retryAfter: 1, lostLine })
  sink.isFull = true
  writer.write('123456789\n')
  await writer.flush()
  expect(sink.failed).toBe(1)
  // The first line is being written and waits outside of the limit.
  for (let line = 0; line < 5; line += 1) writer.write('abcdefghi\n')
  while (sink.failed < 3) await Bun.sleep(1)
  expect(sink.text).toBe('')
  sink.isFull = false
  while (!sink.text.includes('lost')) await Bun.sleep(1)
  expect(sink.text).toMatch(/^123456789\n(abcdefghi\n){1,2}(lost 3\n)?(abcdefghi\n)?(lost 3\n)?$/)
  expect(sink.text.match(/abcdefghi\n/g)).toHaveLength(2)
})

test('a sink that hangs delays neither a line nor the end of the process', async () => {
  let sync = ''
  const hanging: Sink = {
    write: () => new Promise(() => {}),
    writeSync(bytes) {
      sync += Buffer.from(bytes).toString()
      return bytes.length
    },
  }
  const writer = lineWriter(hanging, { lostLine })
  writer.write('stuck\n')
  await new Promise(setImmediate)
  writer.write('next\n')
  const now = performance.now
  performance.now = () => now.call(performance) + 60_000
  writer.flushSync()
  performance.now = now
  expect(sync).toBe('')
})

test('what waits at the end of the process is written at once', () => {
  const sink = sinkOf()
  const writer = lineWriter(sink, { lostLine })
  writer.write('last\n')
  writer.flushSync()
  expect(sink.text).toBe('last\n')
})

test('a log that is opened anew gets the lines that come later', async () => {
  const files = [sinkOf(), sinkOf()]
  let current = 0
  const sink: Sink = {
    write: (bytes) => (files[current] ?? sinkOf()).write(bytes),
    writeSync: () => 0,
    reopen: async () => {
      current = 1
    },
  }
  const writer = lineWriter(sink, { lostLine })
  writer.write('before\n')
  await writer.reopen()
  writer.write('after\n')
  await writer.flush()
  expect(files.map(({ text }) => text)).toEqual(['before\n', 'after\n'])
})
