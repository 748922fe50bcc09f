import { expect, spyOn, test } from 'bun:test'
import { RE2JS } from 're2js'
import { parsePath } from '../storage/path.ts'
import { visibilityOf } from './rules.ts'

const rule = (path: string, allow = false) => ({ regex: false, allow, path, regexp: null })
const pattern = (raw: string, allow = false) => ({ regex: true, allow, path: '', regexp: { raw } })
const permits = (rules: ReturnType<typeof rule | typeof pattern>[], path: string, foldsCase: boolean) =>
  visibilityOf(rules, false, { foldsCase }).permits(parsePath(path))

test.each(['/PRIVATE/a.txt', '/Private', '/private./a.txt', '/private. /a.txt', '/PRIVAT~1/a.txt'])(
  '%s is denied with /private only on a volume that folds case',
  (path) => {
    expect(permits([rule('/private')], path, false)).toBe(true)
    expect(permits([rule('/private')], path, true)).toBe(false)
  },
)

// ext4 and HFS+ skip characters that cannot be seen, and fold letters that have no single capital.
test.each([
  ['/private', '/pri\u00advate/a.txt'],
  ['/private', '/private\u200b'],
  ['/private', '/PRIVATE\ufeff./a.txt'],
  ['/straße', '/STRASSE/a.txt'],
  ['/strasse', '/straße'],
  ['/ΟΔΟΣ', '/οδοσ/a.txt'],
  ['/kelvin', '/\u212aelvin'],
])('the rule %s denies %j only on a volume that folds case', (written, path) => {
  expect(permits([rule(written)], path, false)).toBe(true)
  expect(permits([rule(written)], path, true)).toBe(false)
})

test.each(['/x/a.key.', '/x/A.KEY .', '/x/a.ke\u00ady', '/x/GE\u0308HEIM.txt'])(
  'the spelling %j matches a pattern only on a volume that folds case',
  (path) => {
    const rules = [pattern('\\.key$'), pattern('^/x/g\u00ebheim')]
    expect(permits(rules, path, false)).toBe(true)
    expect(permits(rules, path, true)).toBe(false)
    expect(permits(rules, '/x/a.keys', true)).toBe(true)
  },
)

test.each(['/x/a.KEY', '/x/A~1.KEY'])('%s matches a pattern only on a volume that folds case', (path) => {
  expect(permits([pattern('\\.key$')], path, false)).toBe(true)
  expect(permits([pattern('\\.key$')], path, true)).toBe(false)
  expect(permits([pattern('\\.key$')], '/x/a.txt', true)).toBe(true)
})

test('a rule that allows matches only the spelling that is written', () => {
  for (const rules of [
    [rule('/'), rule('/open', true)],
    [rule('/'), pattern('^/open', true)],
  ]) {
    expect(permits(rules, '/open/a.txt', true)).toBe(true)
    expect(permits(rules, '/OPEN/a.txt', true)).toBe(false)
  }
})

test('a rule does not match a neighbour with a longer name, with or without folding of case', () => {
  for (const foldsCase of [false, true])
    for (const path of ['/privateer.txt', '/PRIVATEER', '/x/private', '/'])
      expect(permits([rule('/private')], path, foldsCase)).toBe(true)
})

test('a rule and a pattern match composed and decomposed umlauts', () => {
  const [one, two] = ['/Geh\u00e4lter', '/Geha\u0308lter']
  for (const written of [one, two])
    for (const path of [one, two])
      for (const about of [rule(written), pattern(`^${written}$`)])
        for (const foldsCase of [false, true])
          expect([written, path, permits([about], path, foldsCase)]).toEqual([written, path, false])
})

test.each(['private', '/private', '/private/', '//private', '/./private', '/x/../private'])(
  '%j means /private',
  (path) => {
    expect(permits([rule(path)], '/private/a.txt', false)).toBe(false)
    expect(permits([rule(path)], '/privateer', false)).toBe(true)
  },
)

test('thousands of patterns are compiled once, not for every request', () => {
  const rules = Array.from({ length: 3000 }, (_, index) => pattern(`^/none/${index}$`))
  const ask = () => visibilityOf(rules, false, { foldsCase: false }).permits(parsePath('/a.txt'))
  expect(ask()).toBe(true)
  const compile = spyOn(RE2JS, 'compile')
  expect([ask(), compile.mock.calls.length]).toEqual([true, 0])
  compile.mockRestore()
})

test('on the way down a deep tree every folder is judged once', () => {
  const visibility = visibilityOf([pattern('^/never$')], false, { foldsCase: false })
  const match = spyOn(RE2JS.prototype, 'matcher')
  const depth = 300
  for (let at = 1; at <= depth; at += 1) expect(visibility.permits(parsePath('/folder'.repeat(at)))).toBe(true)
  expect(match.mock.calls.length).toBe(depth)
  match.mockRestore()
})

test('the same rules share one visibility, and changed rules do not', () => {
  const files = { foldsCase: false }
  const [one, same] = [visibilityOf([rule('/a')], false, files), visibilityOf([rule('/a')], false, files)]
  expect(same).toBe(one)
  const others = [
    visibilityOf([rule('/a', true)], false, files),
    visibilityOf([rule('/b')], false, files),
    visibilityOf([rule('/a')], true, files),
    visibilityOf([rule('/a')], false, { foldsCase: true }),
  ]
  expect(new Set([one, ...others]).size).toBe(5)
  expect(others.map((each) => each.permits(parsePath('/a')))).toEqual([true, true, false, false])
  expect(one.permits(parsePath('/a'))).toBe(false)
})

test('a cached visibility ends after a hundred others', () => {
  const files = { foldsCase: false }
  const kept = visibilityOf([rule('/kept')], false, files)
  for (let count = 0; count < 99; count += 1) visibilityOf([rule(`/${count}`)], false, files)
  expect(visibilityOf([rule('/kept')], false, files)).toBe(kept)
  for (let count = 100; count < 200; count += 1) visibilityOf([rule(`/${count}`)], false, files)
  expect(visibilityOf([rule('/kept')], false, files)).not.toBe(kept)
})
