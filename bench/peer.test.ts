import { expect, test } from 'bun:test'
import { address, parseAccount } from './peer.ts'

test('a peer is read from name, URL, user and password', () => {
  expect(parseAccount('old=http://127.0.0.1:8080/files/,admin,a,b=c')).toEqual({
    name: 'old',
    url: 'http://127.0.0.1:8080/files',
    user: 'admin',
    password: 'a,b=c',
  })
})

test.each(['', 'http://127.0.0.1,admin,secret', 'old=http://127.0.0.1,admin', 'old=nowhere,admin,secret'])(
  '%p is refused as a peer',
  (text) => {
    expect(() => parseAccount(text)).toThrow('name=URL,user,password')
  },
)

test('the base path of a peer precedes the path of a request', () => {
  const at = (url: string) => address({ url: new URL(url), token: '' }, '/health')
  expect(at('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080/health')
  expect(at('http://127.0.0.1:8080/files')).toBe('http://127.0.0.1:8080/files/health')
})
