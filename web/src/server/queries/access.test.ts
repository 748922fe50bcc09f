import { beforeEach, expect, test } from 'bun:test'
import type { Permission, Right } from '@filestead/contract'

Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  sessionStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
})
const { adoptToken } = await import('../session.ts')
const { cache } = await import('./cache.ts')
const { listedIn, resourceKey } = await import('./resources.ts')
const { may, mayIn, mayMakeIn, mayTransfer } = await import('./access.ts')

const flags = ['admin', 'execute', 'create', 'rename', 'modify', 'delete', 'share', 'download'] as const

let session = 0

function signIn(...permissions: Permission[]): void {
  const perm = Object.fromEntries(flags.map((flag) => [flag, permissions.includes(flag)]))
  session += 1
  const payload = { user: { id: session, perm }, sid: String(session), iat: 0, exp: 3600 }
  adoptToken(`head.${btoa(JSON.stringify(payload))}.tail`)
}

const everything: Permission[] = ['create', 'rename', 'modify', 'delete', 'share', 'download']
const entry = (...can: Right[]) => ({ can })

beforeEach(() => signIn(...everything))

test('an entry without rights of its own may be used as far as the account may', () => {
  expect(may('delete', [{}])).toBe(true)
  signIn('download')
  expect([may('download', [{}]), may('delete', [{}])]).toEqual([true, false])
})

test('each verb asks for its right', () => {
  expect(may('download', [entry('see')])).toBe(false)
  expect(may('download', [entry('see', 'download')])).toBe(true)
  expect(may('copy', [entry('see', 'download')])).toBe(true)
  expect(may('change', [entry('see', 'change')])).toBe(true)
  expect(may('rename', [entry('see', 'change')])).toBe(true)
  expect([may('move', [entry('see', 'change')]), may('move', [entry('see', 'delete')])]).toEqual([false, true])
  expect(may('share', [entry('see', 'download', 'share')])).toBe(true)
})

test('sharing needs the permission to download as well', () => {
  signIn('share')
  expect(may('share', [{}])).toBe(false)
})

test('a selection may be used as far as each of its entries', () => {
  const all = entry('see', 'download', 'delete')
  expect(may('delete', [{}, all])).toBe(true)
  expect(may('delete', [all, entry('see', 'download'), all])).toBe(false)
  expect(may('download', [all, entry('see', 'download'), all])).toBe(true)
})

test('the rights in a folder come from its listing, else from that above, else from the account', () => {
  expect(mayIn('/box')).toBe(true)
  cache().setQueryData(resourceKey('/'), { path: '/', items: [{ name: 'box', can: ['see'] }] })
  expect(mayIn('/box')).toBe(false)
  cache().setQueryData(resourceKey('/box'), { path: '/box', items: [], can: ['see', 'create'] })
  expect(mayIn('/box')).toBe(true)
})

test('into a letter box files are put, and nothing is made in it', () => {
  cache().setQueryData(resourceKey('/letters'), { path: '/letters', items: [], can: ['create'] })
  expect([mayIn('/letters'), mayMakeIn('/letters'), mayMakeIn('/other')]).toEqual([true, false, true])
})

test('nothing is made beside mounts, also where their listing is not known', () => {
  cache().setQueryData(['mounts'], [{ path: '/' }])
  expect(mayIn('/')).toBe(true)
  cache().setQueryData(['mounts'], [{ path: '/Home' }, { path: '/Photos' }])
  expect([mayIn('/'), mayIn('/Home')]).toEqual([false, true])
})

test('entries that may not be taken away are copied and not moved', () => {
  cache().setQueryData(resourceKey('/box'), { path: '/box', items: [], can: ['create'] })
  const entries = [entry('see', 'download')]
  expect([mayTransfer('copy', entries, '/box'), mayTransfer('rename', entries, '/box')]).toEqual([true, false])
  expect(mayTransfer('rename', [{}], '/box')).toBe(true)
})

test('a move needs no permission to create', () => {
  signIn('rename')
  expect([mayTransfer('rename', [{}], '/'), mayTransfer('copy', [{}], '/')]).toEqual([true, false])
})

test('entries of a listing without rights of their own get those of their folder', async () => {
  const sorting = { by: 'name', asc: false }
  const sent = { path: '/', sorting, can: ['see'], items: [{ name: 'a' }, { name: 'b', can: ['see', 'delete'] }] }
  for (const headers of [{ etag: '"1"' }, {}]) {
    const listed = await listedIn(new Response(JSON.stringify(sent), { headers: headers as HeadersInit }))
    expect('items' in listed && listed.items.map(({ can }) => can)).toEqual([['see'], ['see', 'delete']])
  }
})
