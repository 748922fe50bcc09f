import { expect, test } from 'bun:test'
import { exactHosts, hostGuard, hostnameIn, hostsIn, isCrossSite, isHostList, isLoopback } from './hosts.ts'

test.each([
  ['files.example.org', 'files.example.org'],
  ['Files.Example.org.:8080', 'files.example.org'],
  ['127.0.0.1:80', '127.0.0.1'],
  ['[::1]:80', '::1'],
  ['::1', '::1'],
  ['a@b', undefined],
  ['a/b', undefined],
  ['a, b', undefined],
  ['', undefined],
])('the name in %j is %j', (host, name) => {
  expect(hostnameIn(host)).toBe(name)
})

test.each([
  ['localhost:8080', true],
  ['LOCALHOST', true],
  ['x.localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9:1', true],
  ['[::1]:8080', true],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['evil.example', false],
  ['192.168.1.5', false],
  ['0.0.0.0', false],
])('%j is a name of this machine: %p', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})

test('a list holds names, and all below a domain', () => {
  const isListed = hostsIn('nas, *.Example.org 192.0.2.1 [2001:db8::1]')
  for (const host of ['nas:80', 'a.example.org', 'A.b.EXAMPLE.org', '192.0.2.1', '[2001:db8::1]:8080'])
    expect([host, isListed(host)]).toEqual([host, true])
  for (const host of ['nas.evil.example', 'example.org', 'evilexample.org', '192.0.2.10', ''])
    expect([host, isListed(host)]).toEqual([host, false])
  expect(hostsIn('*')('anything')).toBe(true)
  expect([exactHosts('* *.example.org nas')('a.example.org'), exactHosts('* nas')('nas')]).toEqual([false, true])
})

test.each([
  ['', true],
  ['nas,*.example.org', true],
  ['*', true],
  ['[::1]', true],
  ['https://nas', false],
  ['nas:80', false],
  ['a b/c', false],
])('the list %j is one: %p', (list, expected) => {
  expect(isHostList(list)).toBe(expected)
})

const refusal = (
  options: Partial<Parameters<typeof hostGuard>[0]>,
  host: string | null,
  needsNoSignIn = true,
): boolean => {
  const guard = hostGuard({ address: '127.0.0.1', socket: '', allowedHosts: '', ...options })
  try {
    guard(new Headers(host === null ? {} : { host }), { needsNoSignIn })
    return false
  } catch {
    return true
  }
}

test('without sign-in, this machine is called by its own names', () => {
  expect(refusal({}, 'evil.example')).toBe(true)
  expect(refusal({ address: '::1' }, 'evil.example:8080')).toBe(true)
  for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]', null]) expect(refusal({}, host)).toBe(false)
  expect(refusal({ allowedHosts: 'files.example.org' }, 'files.example.org')).toBe(false)
  expect(refusal({}, 'evil.example', false)).toBe(false)
  expect(refusal({ address: '' }, 'nas')).toBe(false)
  expect(refusal({ socket: '/run/x' }, 'files.example.org')).toBe(false)
})

test('a list counts for everybody', () => {
  const options = { address: '0.0.0.0', allowedHosts: 'files.example.org' }
  for (const needsNoSignIn of [true, false]) {
    expect(refusal(options, 'evil.example', needsNoSignIn)).toBe(true)
    expect(refusal(options, 'files.example.org:8443', needsNoSignIn)).toBe(false)
    expect(refusal(options, 'localhost', needsNoSignIn)).toBe(false)
    expect(refusal(options, '192.0.2.1:8080', needsNoSignIn)).toBe(false)
    expect(refusal({ ...options, address: '127.0.0.1' }, '192.0.2.1:8080', needsNoSignIn)).toBe(true)
  }
})

test.each([
  ['a program', {}, false],
  ['our own page', { origin: 'http://files.example.org' }, false],
  ['our own page on a port that the proxy left out', { origin: 'https://files.example.org:8443' }, false],
  ['a page from elsewhere', { origin: 'https://evil.example' }, true],
  ['a sibling', { origin: 'https://evil.example.org', 'sec-fetch-site': 'same-site' }, true],
  ['a page without an origin', { origin: 'null' }, true],
  ['a page whose origin is no address', { origin: 'junk' }, true],
  ['a name that only begins like the own one', { origin: 'https://files.example.org.evil.example' }, true],
  ['a page from elsewhere that hides its origin', { 'sec-fetch-site': 'cross-site' }, true],
  [
    'our own page behind a proxy that changes the host',
    { origin: 'https://a.test', 'sec-fetch-site': 'same-origin' },
    false,
  ],
  ['the same with an old browser', { origin: 'https://a.test', 'x-forwarded-host': 'a.test' }, false],
  ['a name that was written down', { origin: 'https://named.test' }, false],
] as [string, Record<string, string>, boolean][])('%s', (_who, headers, expected) => {
  const all = new Headers({ host: 'files.example.org', ...headers })
  expect(isCrossSite(all, exactHosts('named.test'))).toBe(expected)
})
