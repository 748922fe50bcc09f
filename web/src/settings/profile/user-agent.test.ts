import { expect, test } from 'bun:test'
import { readUserAgent } from './user-agent.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/141.0.0.0 Safari/537.36`, 'Chrome', 'Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0`, 'Edge', 'Windows'],
  [`Mozilla/5.0 (Linux; Android 14; K) ${webkit} Chrome/141.0.0.0 Mobile Safari/537.36`, 'Chrome', 'Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari',
    'iPhone',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari',
    'macOS',
  ],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/141.0.0.0 Safari/537.36 OPR/120.0`, 'Opera', 'ChromeOS'],
])('%s', (text, program, system) => {
  expect(readUserAgent(text)).toEqual({ program, system })
})

test('a program that is no browser is called what it calls itself', () => {
  expect(readUserAgent('curl/8.5.0')).toEqual({ program: 'curl', system: null })
  expect(readUserAgent('rclone')).toEqual({ program: 'rclone', system: null })
})

test('an unknown program has no name', () => {
  expect(readUserAgent('')).toEqual({ program: null, system: null })
  expect(readUserAgent('Mozilla/5.0')).toEqual({ program: null, system: null })
  expect(readUserAgent('<script>alert(1)</script>')).toEqual({ program: null, system: null })
})
