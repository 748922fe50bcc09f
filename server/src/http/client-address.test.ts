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
  ['several proxies of ours in a row', '10.1.2.3', { 'x-forwarded-for': '198.51.100.7, 10.9.9.9' }, '198.51.100.7'],
  ['X-Real-IP serves as well', '127.0.0.1', { 'x-real-ip': '198.51.100.7' }, '198.51.100.7'],
  ['an IPv6 socket on an IPv4 net', '::ffff:10.1.2.3', { 'x-forwarded-for': '2001:db8::1' }, '2001:db8::1'],
  ['nonsense is passed over', '10.1.2.3', { 'x-forwarded-for': 'unknown' }, '10.1.2.3'],
])('%s', (_why, peer, headers, address) => {
  expect(read(peer, new Headers(headers as Record<string, string>)).address).toBe(address)
})

test('a claim from a stranger is noticed', () => {
  expect(read('203.0.113.9', new Headers({ 'x-real-ip': '1.2.3.4' })).isClaimIgnored).toBe(true)
  expect(read('10.0.0.1', new Headers({ 'x-real-ip': '1.2.3.4' })).isClaimIgnored).toBe(false)
})

test('https is believed from a proxy only', () => {
  const headers = new Headers({ 'x-forwarded-proto': 'https' })
  expect(read('10.0.0.1', headers).isSecure).toBe(true)
  expect(read('203.0.113.9', headers).isSecure).toBe(false)
})

test.each(['localhost', '10.0.0.0/33', '1.2.3', 'fd00::/x'])('%p is refused by name', (text) => {
  expect(() => clientReader(text)).toThrow(text)
})
