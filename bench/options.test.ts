import { expect, test } from 'bun:test'
import { parseOptions } from './options.ts'

test('without options the run has Filestead only, five rounds and full scale', () => {
  expect(parseOptions([])).toMatchObject({ accounts: [], root: undefined, only: [], rounds: 5, scale: 'full' })
})

test('a list may be one option or several', () => {
  expect(parseOptions(['--only', 'copy,listing', '--only=memory']).only).toEqual(['copy', 'listing', 'memory'])
})

const peer = 'a=http://127.0.0.1,admin,secret'
test.each([
  [['--rounds', '0'], '--rounds'],
  [['--scale', 'huge'], 'small or full'],
  [['--peer', peer], '--root'],
  [['--peer', peer, '--peer', peer, '--root', '.'], 'two peers'],
  [['--root', './no-such-folder'], 'not a folder'],
])('%p is refused', (args, reason) => {
  expect(() => parseOptions(args)).toThrow(reason)
})
