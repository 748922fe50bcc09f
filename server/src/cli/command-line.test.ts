import { describe, expect, spyOn, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FirstStartOptions, ServerOptions } from '../config/options.ts'
import { givenTo } from './command-line.ts'
import { SettingsFlags } from './config/flags.ts'
import { withOptionTables } from './manual.ts'
import { withoutRange } from './numbered-list.ts'
import { columns, sections } from './output.ts'
import { program } from './program.ts'
import { RuleFlags, RulesFlags } from './rules/flags.ts'
import { AccountFlags, UserFlags } from './users/flags.ts'

/** What a command would be given, without running it. */
async function given(words: string[]): Promise<Record<string, unknown>> {
  const root = program()
  let found: Record<string, unknown> = {}
  for (const command of [root, ...root.commands.flatMap((group) => group.commands)])
    command.action(() => {
      found = { ...givenTo(command), words: command.args }
    })
  await root.parseAsync(words, { from: 'user' })
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

describe('words are read as File Browser read them', () => {
  test.each([
    [['-p', '80'], { port: '80' }],
    [['-p80'], { port: '80' }],
    [['-p=80'], { port: '80' }],
    [['--port=80'], { port: '80' }],
    [['--port', '80', '--port', '81'], { port: '81' }],
    [['--baseURL='], { baseURL: '' }],
    [['--root', '-odd'], { root: '-odd' }],
    [['--disableExec'], { disableExec: 'true' }],
    [['--disableExec=false'], { disableExec: 'false' }],
    [['-d', 'x', '-r', 'y'], { database: 'x', root: 'y' }],
  ])('%j', async (words, expected) => {
    expect(await given(words)).toEqual({ ...expected, words: [] })
  })

  test.each([
    [['users', 'add', '--perm.admin', 'bob', 'secret'], { 'perm.admin': 'true', words: ['bob', 'secret'] }],
    [['users', 'add', 'bob', '--', '--secret'], { words: ['bob', '--secret'] }],
    [['users', 'add', 'bob', '-', '--commands', 'a', '--commands', 'b'], { commands: 'a,b', words: ['bob', '-'] }],
    [['users', 'update', 'bob', '-p', '--signup', '-u', 'x'], { password: '--signup', username: 'x', words: ['bob'] }],
    [['-d', 'x', '-r', '/s', 'users', 'ls'], { database: 'x', root: '/s', words: [] }],
    [['-d', 'x', 'users', 'ls', '-d', 'y'], { database: 'y', words: [] }],
    [['rules', 'add', '-ar', '^/a', '-u', 'bob'], { allow: 'true', regex: 'true', username: 'bob', words: ['^/a'] }],
    [['config', 'set', '-s', '-a', '::1'], { signup: 'true', address: '::1', words: [] }],
    [['config', 'set', '-s=false'], { signup: 'false', words: [] }],
    [['cmds', 'ls', '-e', 'after_upload'], { event: 'after_upload', words: [] }],
  ])('%j', async (words, expected) => {
    expect(await given(words)).toEqual(expected)
  })

  test('renamed flags are understood, with a notice', async () => {
    const stderr = spyOn(process.stderr, 'write').mockImplementation(() => true)
    try {
      expect(await given(['--img-processors=2', '--disable-exec=false', '--baseurl', '/x'])).toEqual({
        imageProcessors: '2',
        disableExec: 'false',
        baseURL: '/x',
        words: [],
      })
      expect(await given(['config', 'set', '--file-mode', '0600'])).toEqual({ fileMode: '0600', words: [] })
      expect(stderr.mock.calls.map(([text]) => text)).toContain(
        'The flag --img-processors is now called --imageProcessors\n',
      )
      expect(stderr).toHaveBeenCalledTimes(4)
    } finally {
      stderr.mockRestore()
    }
  })
})

test('words that a script left empty are no commands, but may be values', async () => {
  expect(await given(['-p', '80', '', '-b', '', ''])).toEqual({ port: '80', baseURL: '', words: [] })
  expect(await given(['', 'users', '', 'add', 'bob', ''])).toEqual({ words: ['bob', ''] })
})

describe('what is not there', () => {
  test.each([
    [['usrs', 'ls', '--x'], "unknown command 'usrs'\n(Did you mean users?)"],
    [['config', 'sett'], "unknown command 'sett'\n(Did you mean set?)"],
    [['8080'], "unknown command '8080'"],
    [['help', 'usrs'], "unknown command 'usrs'\n(Did you mean users?)"],
    [['--prot', '80'], "unknown option '--prot'"],
    [['users', 'ls', '--port', '80'], "unknown option '--port'"],
    [['users', 'passwd'], "missing required argument 'user'"],
    [['users', 'ls', 'bob'], 'too many arguments'],
    [['--port'], 'argument missing'],
    [['-p', '80', 'users', 'ls'], "--port stands before 'ls'"],
  ])('%j', async (words, message) => {
    await expect(given(words)).rejects.toThrow(message)
  })
})

describe('taking entries out of a list', () => {
  test.each([
    ['0', undefined, ['b', 'c']],
    ['1', '2', ['a']],
    ['0', '2', []],
  ])('%s to %s', (first, last, rest) => {
    expect(withoutRange(['a', 'b', 'c'], 'rule', first, last)).toEqual(rest)
  })

  test.each([
    ['3', undefined, 'There is no rule "3": they go from 0 to 2'],
    ['0', '9', 'There is no rule "9": they go from 0 to 2'],
    ['x', undefined, 'There is no rule "x": they go from 0 to 2'],
    ['2', '1', '1 comes before 2'],
  ])('%s to %s is refused', (first, last, message) => {
    expect(() => withoutRange(['a', 'b', 'c'], 'rule', first, last)).toThrow(message)
  })

  test('nothing can be taken from nothing', () => {
    expect(() => withoutRange([], 'rule', '0', undefined)).toThrow('There is no rule "0": there are none')
  })
})

test('tables are aligned, and a name cannot move the cursor', () => {
  expect(
    columns(
      ['ID', 'Name'],
      [
        [1, 'a\u001b[2J'],
        [10, 'bob'],
      ],
    ),
  ).toBe('ID  Name\n1   a\\u{1b}[2J\n10  bob')
  expect(
    sections([
      ['One', { a: 1, long: '' }],
      ['Two', { b: true }],
    ]),
  ).toBe('One:\n  a:     1\n  long:\n\nTwo:\n  b:     true')
})

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '../../../docs/operating', name), 'utf8')

test('the tables of options in the manual are those of the program (npm run manual)', () => {
  const page = pageOf('configuration.md')
  expect(withOptionTables(page)).toBe(page)
  expect(page).toContain('| `-b --baseURL <path>` | `FILESTEAD_BASE_URL` |')
})

test('every flag is in the manual', () => {
  const manual = ['command-line.md', 'configuration.md'].map(pageOf).join()
  const flags = [ServerOptions, FirstStartOptions, SettingsFlags, UserFlags, AccountFlags, RulesFlags, RuleFlags]
    .flatMap(({ shape }) => Object.keys(shape))
    .filter((key) => !new RegExp(`--${key}\\b`).test(manual))
  expect(flags).toEqual([])
})
