import { expect, test } from 'bun:test'
import { parseOptions } from './options.ts'

test('without options the run has Filestead and what is installed, three rounds and full scale', () => {
  const foreign = ['dufs', 'copyparty', 'nginx']
  expect(parseOptions([])).toMatchObject({ accounts: [], foreign, only: [], rounds: 3, scale: 'full', curves: false })
  expect(parseOptions(['--docs'])).toMatchObject({ docs: true, curves: true })
})

test('servers of other projects stand beside given peers only where they are named', () => {
  const given = ['--peer', peer, '--root', '.']
  expect(parseOptions(given).foreign).toEqual([])
  expect(parseOptions([...given, '--with', 'nginx,dufs']).foreign).toEqual(['dufs', 'nginx'])
  expect(parseOptions(['--with', 'none']).foreign).toEqual([])
})

test('another version is named with its program', () => {
  expect(parseOptions([`--also=old=${import.meta.path}`]).versions).toEqual([
    { name: 'old', program: import.meta.path },
  ])
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
  [['--with', 'apache'], 'dufs, copyparty, nginx or none'],
  [['--also', 'old'], 'NAME=PROGRAM'],
  [['--also', 'old=./no-such-file'], 'not a program'],
  [['--also', `nginx=${import.meta.path}`], 'two peers'],
  [['--docs', '--only', 'copy'], 'whole run'],
])('%p is refused', (args, reason) => {
  expect(() => parseOptions(args)).toThrow(reason)
})
