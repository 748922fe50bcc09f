import { afterAll, expect, test } from 'bun:test'
import { treeOf } from './disk.ts'
import { startUploadServer } from './upload-server.ts'

const { server, ann, rows, clear } = await startUploadServer()
afterAll(() => server.stop())

test('Clearing, after a small upload was announced, leaves none that gets a row and a draft later', async () => {
  await ann.create('/a', 2)
  await clear()
  // As it happens by itself, a second or two after the announcement.
  await server.app.deps.held.write('all')
  expect([treeOf(server.root), await rows()]).toEqual([{}, 0])
})
