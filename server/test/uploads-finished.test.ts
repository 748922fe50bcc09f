import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { draftsBelow } from './disk.ts'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'

/** Larger than what is held before it has a row. */
const whole = '12345'.repeat(20_000)

test('of uploads that a dead server left, the rows of those that have become files go, and no others', async () => {
  await using server = await startServer()
  await server.addUser('ann')
  const ask = await server.as('ann')
  const { db } = server.app.deps
  const tus = tusOf(ask)
  const names = ['finished', 'with a draft', 'without a file', 'of another size', 'of another time', 'of a living one']
  for (const name of names) expect((await tus.create(`/${encodeURIComponent(name)}`, whole.length)).status).toBe(201)
  await server.app.tidy()
  for (const name of names.filter((each) => each !== 'with a draft' && each !== 'without a file'))
    server.put({ [name]: name === 'of another size' ? '1234' : whole })
  const uploads = await db.selectFrom('upload').selectAll().execute()
  const ofName = (name: string) => uploads.find(({ location }) => location.endsWith(`/${name}`))?.id ?? ''
  for (const draft of draftsBelow(server.root))
    if (!draft.includes(ofName('with a draft'))) rmSync(join(server.root, draft))
  await db.updateTable('upload').set({ node: '4194305:1' }).where('id', '!=', ofName('of a living one')).execute()
  await db.updateTable('upload').set({ modified: 5 }).where('id', '=', ofName('of another time')).execute()
  await server.app.tidy()
  const left = (await db.selectFrom('upload').select('id').execute()).map((row) => row.id)
  expect(names.filter((name) => !left.includes(ofName(name)))).toEqual(['finished'])
})
