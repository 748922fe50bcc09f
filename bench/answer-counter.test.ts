import { describe, expect, test } from 'bun:test'
import { countAnswer } from './answer-counter.ts'

const answers = {
  'with a length': 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello\r\nyou!',
  'in chunks': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n\r\nyou!\r\n0\r\n\r\n',
  'in chunks with a trailer':
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nb\r\nhello\r\nyou!\r\n0\r\nA: b\r\n\r\n',
}

describe.each(Object.entries(answers))('an answer %s', (_, text) => {
  test.each([1, 2, 3, 7, text.length])('is counted from pieces of %d bytes', (size) => {
    const bytes = new TextEncoder().encode(text)
    const counter = countAnswer()
    for (let at = 0; at < bytes.length; at += size) {
      expect(counter.isDone).toBe(false)
      counter.take(bytes.subarray(at, at + size))
    }
    expect(counter).toMatchObject({ status: 200, bodyBytes: 11, isDone: true, endsWithConnection: false })
  })
})

test('an answer without a length ends with its connection', () => {
  const counter = countAnswer()
  counter.take(new TextEncoder().encode('HTTP/1.1 404 Not Found\r\n\r\ngone'))
  expect(counter).toMatchObject({ status: 404, bodyBytes: 4, isDone: false, endsWithConnection: true })
})
