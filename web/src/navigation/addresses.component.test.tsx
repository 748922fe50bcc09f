import { expect, test } from 'bun:test'
import '../component-dom.ts'
import { filesPathOf, sharePathOf } from './addresses.ts'

test.each([
  ['/files', '/'],
  ['/files/', '/'],
  ['/files//a/b/', '/a/b'],
  ['/files/100%25%20%23/%3F', '/100% #/?'],
  ['/files/100%', '/100%'],
  ['/files/a%2Fb', '/a/b'],
  ['/files/a%2F%2Fb', '/a/b'],
  ['/files/...dots/.hidden', '/...dots/.hidden'],
  // The browser resolves dots before the page sees them, unless a slash beside them is encoded.
  ['/files/a/..%2F', '/'],
  ['/files/a%2F.%2Fb%2F..', '/a'],
  ['/files/..%2F..%2Fetc/passwd', '/etc/passwd'],
])('%s shows %s', (pathname, path) => {
  expect(filesPathOf({ pathname, search: '' })).toBe(path)
  const shared = pathname.replace('/files', '/share/some-link')
  expect(sharePathOf({ pathname: shared, search: '' })).toEqual({ hash: 'some-link', path })
})
