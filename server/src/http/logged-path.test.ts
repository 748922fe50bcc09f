import { expect, test } from 'bun:test'
import { loggedPath } from './logged-path.ts'

const hash = 'Rn4vJq0XoZt1mBf7cE2uKw'

test.each([
  `/api/public/dl/${hash}`,
  `/api/public/dl/${hash}/nope.txt`,
  `/api/public/share/${hash}/`,
  `/api/public/share%2F${hash}`,
  `/api/public/preview/thumb/${hash}/a.jpg`,
  `/api/public/preview/other/${hash}/a.jpg`,
  `/api/public/subtitle/${hash}/a.srt`,
  `/api/public/dl//${hash}`,
  `/api//public/dl/${hash}`,
  `/api/public/upload/${hash}/a.txt`,
  `/share/${hash}`,
  `/share/${hash}/below/it`,
  `/share%2f${hash}`,
  `/files/share/${hash}`,
  `/files/api/public/dl/${hash}`,
])('the hash in %s is not told', (path) => {
  for (const method of ['GET', 'POST', 'HEAD']) {
    expect(loggedPath(method, path)).not.toContain(hash.slice(0, 5))
    expect(loggedPath(method, path)).toContain(`${hash.slice(0, 4)}…`)
  }
})

test('an owner ends a link by its hash, and lists links by a path', () => {
  for (const path of [`/api/share/${hash}`, `/api/share/${hash}/`])
    expect(loggedPath('DELETE', path)).toBe('/api/share/Rn4v…')
  expect(loggedPath('GET', '/api/share/holidays/2024')).toBe('/api/share/holidays/2024')
})

test('of an old, short link hardly anything is left', () => {
  expect(loggedPath('GET', '/api/public/dl/aB3dE6gH/nope')).toBe('/api/public/dl/a…/nope')
})

test('other paths are told as they came, up to a length', () => {
  for (const path of ['/api/resources/share/report of the year.txt', '/api/raw/a/api.txt', '/files/a', '/'])
    expect(loggedPath('GET', path)).toBe(path)
  expect(loggedPath('GET', `/api/raw/${'x'.repeat(5000)}`).length).toBe(2000)
})
