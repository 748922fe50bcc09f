import { expect, test } from 'bun:test'
import type { RequestContext } from '../http/request.ts'
import type { OpenFile } from '../storage/port.ts'
import { deliverFile } from './answer-file.ts'

test('a file that cannot be read is closed again', async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  const head = () => {
    throw new Error('the disk broke')
  }
  const entry = { name: 'a', size: 1, seconds: 0, nanoseconds: 0, version: '"1"' } as OpenFile['entry']
  const file: OpenFile = { entry, content: new Blob(['x']), head, close }
  const context = { request: new Request('http://localhost/'), sent() {} } as unknown as RequestContext
  expect(() => deliverFile(context, file, { name: 'a', inline: true })).toThrow('the disk broke')
  await closed
})
