import { afterAll, expect, test } from 'bun:test'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { type FolderResource, sortingHeader } from '@filestead/contract'
import { changeUser } from '../src/users/users.ts'
import { jsonIn } from './answers.ts'
import { fillFolder } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

server.put({ 'Beta/x': '', 'alpha/x': '', 'a10.txt': '333', 'a2.txt': '1', 'B.txt': '55555', 'c.txt': '4444' })
fillFolder(
  join(server.root, 'alpha/large'),
  Array.from({ length: 1500 }, (_, index) => `file ${index}`),
)
for (const [index, name] of ['c.txt', 'alpha', 'a2.txt', 'B.txt', 'Beta', 'a10.txt'].entries())
  utimesSync(join(server.root, name), 1_700_000_000 + index, 1_700_000_000 + index)

const orderFor = async (by: string, asc: boolean) => {
  const { deps } = server.app
  await changeUser(deps, await deps.settings(), 1, { sorting: { by, asc } })
  const { items, sorting } = await jsonIn<FolderResource>(alice('/api/resources/'))
  return { names: items.map(({ name }) => name).join(' '), sorting }
}

test.each([
  ['name', false, 'alpha Beta a2.txt a10.txt B.txt c.txt'],
  ['name', true, 'Beta alpha c.txt B.txt a10.txt a2.txt'],
  ['size', false, 'B.txt c.txt a10.txt a2.txt alpha Beta'],
  ['size', true, 'alpha Beta a2.txt a10.txt c.txt B.txt'],
  ['modified', false, 'a10.txt Beta B.txt a2.txt alpha c.txt'],
  ['modified', true, 'c.txt alpha a2.txt B.txt Beta a10.txt'],
  ['other', false, 'B.txt Beta a10.txt a2.txt alpha c.txt'],
  ['other', true, 'Beta alpha c.txt B.txt a10.txt a2.txt'],
])('a listing is sorted by %s, asc %p', async (by, asc, names) => {
  expect(await orderFor(by, asc)).toEqual({ names, sorting: { by, asc } })
})

test('a listing is sorted by name from A to Z by default', async () => {
  expect(await orderFor('', false)).toEqual({
    names: 'alpha Beta a2.txt a10.txt B.txt c.txt',
    sorting: { by: 'name', asc: false },
  })
})

test.each([
  ['name', false, '{"by":"name","asc":false}'],
  ['name', true, '{"by":"name","asc":true}'],
  ['size', false, '{"by":"size","asc":false}'],
  ['modified', true, '{"by":"modified","asc":true}'],
  ['', false, '{"by":"name","asc":false}'],
  // Nothing that a client has made up becomes a header.
  ['o\r\nther', false, null],
])(
  'a large folder tells its order by %j, asc %p, before its entries; a small one after them',
  async (by, asc, told) => {
    const { deps } = server.app
    await changeUser(deps, await deps.settings(), 1, { sorting: { by, asc } })
    for (const [folder, header] of [
      ['alpha/large', told],
      ['alpha', null],
    ] as const) {
      const answer = await alice(`/api/resources/${folder}`)
      expect([folder, answer.headers.get(sortingHeader)]).toEqual([folder, header])
      expect(((await answer.json()) as FolderResource).sorting).toEqual({ by: by || 'name', asc })
      const head = await alice(`/api/resources/${folder}`, { method: 'HEAD' })
      expect([folder, head.headers.get(sortingHeader)]).toEqual([folder, header])
    }
  },
)
