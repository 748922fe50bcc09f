import { expect, test } from 'bun:test'

Object.assign(globalThis, { window: new EventTarget() })
const { inPast, pastQuery } = await import('./past.ts')
const { cache } = await import('./cache.ts')

test('an address gets the older state beside what it asks for already, and stays as it is for the present', () => {
  expect(inPast('raw/a.txt', null)).toBe('raw/a.txt')
  expect(inPast('raw/a.txt', 's.1.a b&c')).toBe('raw/a.txt?past=s.1.a%20b%26c')
  expect(inPast('raw/a.txt?inline=true', 'k.1')).toBe('raw/a.txt?inline=true&past=k.1')
})

test('what lies in the past can be read at most, whatever the rights at its path are now', async () => {
  const before = globalThis.fetch
  const asked: string[] = []
  const item = (name: string, can?: string[]) => ({ path: `/box/${name}`, name, isDir: false, ...(can && { can }) })
  const answer = { path: '/box', name: 'box', isDir: true, can: ['see', 'download', 'change', 'delete'] }
  globalThis.fetch = Object.assign(
    async (address: unknown) => {
      asked.push(String(address))
      const items = [item('a'), item('secret', ['see', 'delete'])]
      return new Response(JSON.stringify({ ...answer, items, sorting: { by: 'name', asc: false } }), {
        headers: { ETag: '"1"' },
      })
    },
    { preconnect: () => {} },
  )
  const folder = await cache().fetchQuery(pastQuery('/box', 'k.1'))
  globalThis.fetch = before
  expect(asked[0]).toEndWith('/api/resources/box?past=k.1')
  expect(folder).toMatchObject({
    can: ['see', 'download'],
    items: [{ can: ['see', 'download'] }, { can: ['see'] }],
  })
})
