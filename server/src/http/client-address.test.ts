import { expect, test } from 'bun:test'
import { clientReader } from './client-address.ts'

const read = clientReader('10.0.0.0/8, 127.0.0.1 fd00::/8')

test.each([
  ['a stranger is who the socket says', '203.0.113.9', {}, '203.0.113.9'],
  ['a stranger cannot claim another address', '203.0.113.9', { 'x-forwarded-for': '1.2.3.4' }, '203.0.113.9'],
  ['a proxy tells who is behind it', '10.1.2.3', { 'x-forwarded-for': '198.51.100.7' }, '198.51.100.7'],
  [
    'what the client put before it is not believed',
    '10.1.2.3',
    { 'x-forwarded-for': '6.6.6.6, 198.51.100.7' },
    '198.51.100.7',
  ],
  ['several trusted proxies in a row', '10.1.2.3', { 'x-forwarded-for': '198.51.100.7, 10.9.9.9' }, '198.51.100.7'],
  ['X-Real-IP serves as well', '127.0.0.1', { 'x-real-ip': '198.51.100.7' }, '198.51.100.7'],
  ['an IPv6 socket on an IPv4 net', '::ffff:10.1.2.3', { 'x-forwarded-for': '2001:db8::1' }, '2001:db8::1'],
  ['nonsense is no address', '10.1.2.3', { 'x-forwarded-for': 'unknown' }, '10.1.2.3'],
  [
    'what stands before nonsense is not believed',
    '10.1.2.3',
    { 'x-forwarded-for': '6.6.6.6, unknown, 10.9.9.9' },
    '10.1.2.3',
  ],
  ['a port is left out', '10.1.2.3', { 'x-forwarded-for': '6.6.6.6, 198.51.100.7:4711' }, '198.51.100.7'],
  ['also of IPv6', '10.1.2.3', { 'x-forwarded-for': '6.6.6.6, [2001:db8::9]:4711' }, '2001:db8::9'],
  ['brackets are no part of it', '10.1.2.3', { 'x-forwarded-for': '[2001:db8::9]' }, '2001:db8::9'],
  ['nor is a zone', '10.1.2.3', { 'x-forwarded-for': 'fe80::1%eth0' }, 'fe80::1'],
  ['a trusted proxy with a port', '10.1.2.3', { 'x-forwarded-for': '198.51.100.7, 10.9.9.9:80' }, '198.51.100.7'],
  ['only trusted proxies', '10.1.2.3', { 'x-forwarded-for': '10.7.7.7, 10.9.9.9' }, '10.7.7.7'],
  ['an empty header', '10.1.2.3', { 'x-forwarded-for': '' }, '10.1.2.3'],
  ['X-Real-IP with a port', '10.1.2.3', { 'x-real-ip': '198.51.100.7:1' }, '198.51.100.7'],
])('%s', (_why, peer, headers, address) => {
  expect(read(peer, new Headers(headers as Record<string, string>)).address).toBe(address)
})

test('a claim from a stranger is noticed', () => {
  expect(read('203.0.113.9', new Headers({ 'x-real-ip': '1.2.3.4' })).isClaimIgnored).toBe(true)
  expect(read('10.0.0.1', new Headers({ 'x-real-ip': '1.2.3.4' })).isClaimIgnored).toBe(false)
})

test('the address of an untrusted proxy is shared by many clients', () => {
  const ask = (headers: Record<string, string>) => read('203.0.113.9', new Headers(headers))
  expect(ask({})).toMatchObject({ isShared: false, claimed: '' })
  expect(ask({ 'x-forwarded-for': '6.6.6.6, 198.51.100.7:1' })).toMatchObject({
    isShared: true,
    claimed: '198.51.100.7',
  })
  expect(ask({ 'x-forwarded-for': '6.6.6.6, unknown' })).toMatchObject({ isShared: true, claimed: '' })
  expect(read('10.1.2.3', new Headers({ 'x-forwarded-for': '198.51.100.7' })).isShared).toBe(false)
})

test('and behind one that was named and does not tell', () => {
  for (const headers of [{}, { 'x-forwarded-for': 'unknown' }] as Record<string, string>[])
    expect(read('10.1.2.3', new Headers(headers))).toMatchObject({ address: '10.1.2.3', isShared: true, claimed: '' })
})

test('the other end of a unix socket is believed when any proxy is', () => {
  const headers = new Headers({ 'x-forwarded-for': '6.6.6.6, 198.51.100.7', 'x-forwarded-proto': 'https' })
  for (const list of ['unix', '127.0.0.1'])
    expect(clientReader(list, { isUnix: true })('', headers)).toEqual({
      address: '198.51.100.7',
      isSecure: true,
      isFromTrustedProxy: true,
      isClaimIgnored: false,
      isShared: false,
      claimed: '',
    })
  expect(clientReader('', { isUnix: true })('', headers)).toMatchObject({
    address: '',
    isSecure: false,
    isFromTrustedProxy: false,
    isShared: true,
    claimed: '198.51.100.7',
  })
  // A connection that is gone has no address either.
  expect(clientReader('unix')('', headers)).toMatchObject({ isFromTrustedProxy: false, address: '' })
})

test('https is believed from a proxy only', () => {
  const headers = new Headers({ 'x-forwarded-proto': 'https' })
  expect(read('10.0.0.1', headers).isSecure).toBe(true)
  expect(read('203.0.113.9', headers).isSecure).toBe(false)
})

test.each(['localhost', '10.0.0.0/33', '1.2.3', 'fd00::/x'])('%p is refused by name', (text) => {
  expect(() => clientReader(text)).toThrow(text)
})
