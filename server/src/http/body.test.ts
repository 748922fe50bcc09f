import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { bytesOf } from './body.ts'
import type { RequestContext } from './request.ts'

test('a body of chunks of one byte is handled in few pieces', async () => {
  const body = 'a'.repeat(200_000)
  const connection = { keepAlive() {}, keepAliveUntilAnswered() {} }
  const read = Promise.withResolvers<number[]>()
  using server = Bun.serve({
    port: 0,
    async fetch(request) {
      const sizes: number[] = []
      for await (const chunk of bytesOf({ request, connection } as unknown as RequestContext)) sizes.push(chunk.length)
      read.resolve(sizes)
      return new Response()
    },
  })
  const socket = connect(Number(server.port))
  socket.write('POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n')
  socket.write(body.replaceAll('a', '1\r\na\r\n'))
  socket.end('0\r\n\r\n')
  const sizes = await read.promise
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(body.length)
  expect(sizes.length).toBeLessThan(body.length / 100)
})
