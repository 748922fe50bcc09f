import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Rule, type TakeoverCode, takeoverCodes } from '@filestead/contract'
import { visibilityOf } from '../src/access/rules.ts'
import { parsePath } from '../src/storage/path.ts'
import { collectChanges } from '../src/takeover/changes.ts'
import { sourceInBolt } from '../src/takeover/from-bolt.ts'
import { inspectFiles } from '../src/takeover/inspection.ts'
import { type Plan, planTakeover } from '../src/takeover/plan.ts'
import { rulesFrom } from '../src/takeover/rules.ts'
import { changeLines, summaryOf } from '../src/takeover/summary.ts'
import { scratchFolder } from './disk.ts'
import { type OldRecords, oldAdmin, oldDatabase, oldHash, oldSettings, oldUser } from './file-browser-database.ts'

const folder = scratchFolder('meaning')

const root = join(folder, 'root')
const rootWithLinks = join(folder, 'links')
for (const path of ['team', 'docs', 'outside/deep'])
  for (const place of [root, rootWithLinks]) mkdirSync(join(place, path), { recursive: true })
writeFileSync(join(root, 'docs/there.txt'), 'there')
symlinkSync(join(rootWithLinks, 'outside'), join(rootWithLinks, 'team/way-out'))
symlinkSync('/', join(rootWithLinks, 'team/far-out'))
symlinkSync('deep', join(rootWithLinks, 'outside/stays'))

const now = 1_800_000_000

function planOf(records: OldRecords, place = root, followsLinks = false): Plan {
  const file = join(folder, 'filebrowser.db')
  writeFileSync(file, oldDatabase(records))
  const source = sourceInBolt(file)
  const plan = planTakeover([source], inspectFiles(place, { followsLinks }), now)
  const kept = { ...plan, accounts: [...plan.accounts()], shares: [...plan.shares()] }
  source.close()
  return { ...kept, accounts: () => kept.accounts, shares: () => kept.shares }
}

const told = (plan: Plan): [TakeoverCode, string][] => plan.report.changes.map(({ code, subject }) => [code, subject])

const subjectsOf = (plan: Plan, code: TakeoverCode): string[] =>
  told(plan).flatMap(([found, subject]) => (found === code ? [subject] : []))

test('an ordinary instance is taken over without changes and without a report', () => {
  expect(told(planOf({ users: [oldAdmin, oldUser(2, 'two', { scope: '/docs' })] }))).toEqual([])
})

test('every reported change has a remedy', () => {
  const plan = planOf({ settings: oldSettings({ rules: [{ path: 'private' }] }) })
  expect(plan.report.changes).toEqual([
    {
      code: 'rule-without-slash',
      subject: 'deny private',
      message: expect.stringContaining('leading slash'),
      advice: expect.stringMatching(/\w/),
      link: '/settings/global',
    },
  ])
})

test('the details name the code of each change, which the manual explains, and take no name for a number of links', () => {
  const changes = collectChanges()
  changes.add('home-missing', '/ann: ann')
  changes.add('password-unusable', '123')
  const lines = changeLines(changes.list())
  expect(lines.filter((line) => line.startsWith('  ['))).toEqual([
    expect.stringMatching(/^ {2}\[home-missing\] \w/),
    expect.stringMatching(/^ {2}\[password-unusable\] \w/),
  ])
  expect(lines).toContain('    - 123')
})

test('the report has at most ten lines', () => {
  const changes = collectChanges()
  for (const code of takeoverCodes) for (const subject of ['one', 'two']) changes.add(code, subject)
  for (let count = 0; count < 40; count += 1) changes.add('commands-off', String(count))
  const taken = { settings: true, users: 2, shares: 1, rules: 0 }
  const lines = summaryOf({ when: now, from: '/old.db', taken, changes: changes.list() }, '/new.db')
  expect(lines.length).toBe(10)
  expect(lines[6]).toContain('42 times: Commands and hooks')
  expect(lines[9]).toBe(`    and ${takeoverCodes.length - 3} more kinds of changes`)
  changes.list().forEach(({ message, advice }) => {
    expect([message, advice]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)])
  })
})

describe('commands and hooks', () => {
  test('wait for confirmation, and are reported by event and by user', () => {
    const commands = { after_upload: ['notify $FILE'], before_save: ['sh -c "check $FILE.bak"'], other: [] }
    const users = [oldAdmin, oldUser(2, 'runner', { commands: ['git'] })]
    const plan = planOf({
      settings: oldSettings({ commands, shell: ['/bin/sh', '-c'] }),
      server: { enableExec: true },
      users,
    })
    expect(plan.awaitsConfirmation).toBe(true)
    expect(plan.config?.server.disableExec).toBe(true)
    expect(subjectsOf(plan, 'commands-off')).toEqual(['after_upload, before_save, runner'])
    expect(subjectsOf(plan, 'shell-off')).toEqual(['/bin/sh -c'])
    expect(subjectsOf(plan, 'hook-placeholder')).toEqual(['before_save: sh -c "check $FILE.bak"'])
    // They come along all the same.
    expect(plan.config?.settings.commands.after_upload).toEqual(['notify $FILE'])
    expect(plan.accounts()).toMatchObject([{}, { user: { commands: ['git'] } }])
  })

  test('that do not exist need no confirmation', () => {
    const plan = planOf({ server: { enableExec: true } })
    expect([plan.awaitsConfirmation, subjectsOf(plan, 'commands-off')]).toEqual([false, ['']])
  })
})

describe('users', () => {
  test('that share a folder, have none, cannot share or cannot sign in are named', () => {
    const plan = planOf({
      users: [
        oldUser(1, 'one', { scope: '/docs' }),
        oldUser(2, 'two', { scope: 'docs/' }),
        oldUser(3, 'lost', { scope: '/nowhere' }),
        oldUser(4, 'shares', { perm: { share: true } }),
        oldUser(5, 'plain', { password: 'not a hash' }),
      ],
    })
    expect(told(plan)).toEqual([
      ['home-shared', '/docs: one, two'],
      ['home-missing', '/nowhere: lost'],
      ['share-needs-download', 'shares'],
      ['password-unusable', 'plain'],
      ['no-administrator', ''],
    ])
    expect([...plan.accounts()][3]?.user.perm.share).toBe(false)
  })

  test('keep their scope, which never leads upwards', () => {
    const scopes = ['/', '.', '', '/team', 'team', '../../etc', '/a/../b']
    const users = scopes.map((scope, at) => oldUser(at + 1, `u${at}`, { scope }))
    const kept = [...planOf({ users }).accounts()].map(({ user }) => user.scope)
    expect(kept).toEqual(['/', '.', '', '/team', 'team', '/etc', '/b'])
  })

  test('that hide dotfiles hide more, which is reported', () => {
    const plan = planOf({ users: [oldAdmin, oldUser(2, 'tidy', { hideDotfiles: true })] })
    expect(told(plan)).toEqual([['dotfiles-hidden', 'tidy']])
  })

  test('get a next id that was never used', () => {
    expect(planOf({ lastId: 41 }).lastId).toBe(41)
    expect(planOf({ users: [oldAdmin, oldUser(50, 'late')], lastId: 3 }).lastId).toBe(50)
  })
})

describe('shares', () => {
  const users = [oldAdmin, oldUser(2, 'shut', { perm: { share: true } }), oldUser(3, 'team', { scope: '/team' })]
  const share = (hash: string, path: string, wishes: Record<string, unknown> = {}) => ({
    ...{ hash, path, userID: 1, expire: 0 },
    ...wishes,
  })
  const shares = [
    share('good', '/docs/there.txt'),
    share('slashed', '/docs/', { expire: now + 1 }),
    share('locked', '/docs', { password_hash: oldHash, token: 'a token' }),
    share('missing', '/docs/gone.txt'),
    share('over', '/docs', { expire: now }),
    share('negative', '/docs', { expire: -5 }),
    share('orphan', '/docs', { userID: 77 }),
    share('shut', '/docs', { userID: 2 }),
    share('strange', '/docs/../team'),
  ]

  test('are kept, unless their target is gone for good', () => {
    const plan = planOf({ users, shares })
    expect([...plan.shares()].map(({ row }) => row.hash).sort()).toEqual([
      'good',
      'locked',
      'missing',
      'shut',
      'slashed',
    ])
    expect(told(plan).filter(([code]) => code.startsWith('share-'))).toEqual([
      ['share-missing', 'missing /docs/gone.txt'],
      ['share-expired', 'negative /docs'],
      ['share-expired', 'over /docs'],
      ['share-without-owner', 'orphan /docs'],
      ['share-shut', 'shut /docs'],
      ['share-unusable', 'strange /docs/../team'],
      ['share-tokens-kept', '1 link'],
      ['share-needs-download', 'shut'],
    ])
    const locked = [...plan.shares()].find(({ row }) => row.hash === 'locked')
    expect(locked?.row).toMatchObject({ location: '/docs', password_hash: oldHash, user_id: 1 })
    expect(locked?.tokenHash).not.toContain('a token')
  })

  test('outside of the folder of their owner are kept and reported', () => {
    const plan = planOf({ users, shares: [share('outside', '/way-out/deep', { userID: 3 })] }, rootWithLinks)
    expect(subjectsOf(plan, 'share-outside')).toEqual(['outside /way-out/deep'])
    expect([...plan.shares()][0]?.row.location).toBe('/team/way-out/deep')
  })

  test('beyond twenty of one kind are counted in the report instead of listed', () => {
    const many = Array.from({ length: 500 }, (_, at) => share(`link${at}`, '/docs', { expire: 1 }))
    const subjects = subjectsOf(planOf({ shares: many }), 'share-expired')
    expect([subjects.length, subjects.at(-1)]).toEqual([21, '+480'])
  })
})

describe('symlinks on the disk', () => {
  test('that lead out of the folder of a user are named', () => {
    const plan = planOf({ users: [oldAdmin, oldUser(2, 'team', { scope: '/team' })] }, rootWithLinks)
    expect(subjectsOf(plan, 'link-leaves-scope').sort()).toEqual(['/team/far-out', '/team/way-out'])
    // A user of the whole root keeps the symlink that stays in it.
    expect(subjectsOf(planOf({}, rootWithLinks), 'link-leaves-scope')).toEqual(['/team/far-out'])
  })

  test('are followed when the former settings did, which is reported', () => {
    const plan = planOf({ server: { followExternalSymlinks: true } }, rootWithLinks, true)
    expect(told(plan)).toEqual([['links-followed', '']])
    expect(plan.config?.server.followExternalSymlinks).toBe(true)
  })
})

describe('settings', () => {
  test('that would admit other people are read as the safe value', () => {
    const plan = (wishes: Record<string, unknown>, auther = {}) => planOf({ settings: oldSettings(wishes), auther })
    expect(told(plan({ authMethod: 'magic' }))).toEqual([['method-unknown', 'magic']])
    expect(plan({ authMethod: 'magic' }).config?.settings.authMethod).toBe('json')
    expect(told(plan({ key: 'c2hvcnQ=' }))).toEqual([['sessions-ended', '']])
    expect(plan({ key: 'c2hvcnQ=' }).config?.key).toBeUndefined()
    expect(told(plan({ signup: true }))).toEqual([['signup-own-home', '']])
    const proxy = plan({ authMethod: 'proxy' }, { header: 'X-User' })
    expect(told(proxy).map(([code]) => code)).toEqual(['proxy-untrusted', 'signup-own-home'])
    expect(proxy.config?.auth).toMatchObject({ header: 'X-User', createUsers: true })
    const hook = plan({ authMethod: 'hook', createUserDir: true }, { command: '/bin/who can' })
    expect([told(hook), hook.config?.auth.command]).toEqual([[], '/bin/who can'])
    const captcha = plan({}, { recaptcha: { host: '', key: 'k', secret: 's' } })
    expect(captcha.config?.auth.recaptcha).toEqual({ host: 'https://www.google.com', key: 'k', secret: 's' })
  })

  test('of the server keep their meaning under the names of Filestead', () => {
    const server = {
      ...{ root: '/srv', baseURL: 'files/', socket: '', tlsKey: '/k', tlsCert: '/c', port: '9251', address: '' },
      ...{ log: 'stderr', enableThumbnails: false, resizePreview: true, typeDetectionByHeader: false },
      ...{ imageResolutionCalculation: true, tokenExpirationTime: '8h' },
    }
    expect(planOf({ server }).config?.server).toEqual({
      ...{ root: '/srv', baseURL: '/files', key: '/k', cert: '/c', port: 9251, address: '' },
      ...{ log: 'stderr', disableThumbnails: true, disablePreviewResize: false },
      ...{ disableTypeDetectionByHeader: true, disableImageResolutionCalc: false, tokenExpirationTime: '8h' },
      disableExec: true,
    })
    const broken = planOf({ server: { tlsKey: '/k', port: 'http', baseURL: '/a b' } })
    expect(subjectsOf(broken, 'option-changed')).toEqual(['--cert, --key', '--baseURL /a b', '--port http'])
    expect(broken.config?.server).toEqual({ disableExec: true })
  })
})

describe('rules', () => {
  const rulesOf = (rules: Record<string, unknown>[], global: Record<string, unknown>[] = []) => {
    const plan = planOf({ settings: oldSettings({ rules: global }), users: [{ ...oldAdmin, rules }] })
    return { plan, rules: [...plan.accounts()][0]?.user.rules ?? [] }
  }

  test('that were valid stay the same', () => {
    const same = [
      { regex: false, allow: false, path: '/private', regexp: null },
      { regex: true, allow: false, path: '', regexp: { raw: '\\.key$' } },
      { regex: false, allow: true, path: '/docs/open', regexp: null },
    ]
    const { plan, rules } = rulesOf(same)
    expect(rules).toEqual(same)
    expect(told(plan)).toEqual([['rule-holds-below', 'deny \\.key$ (admin)']])
  })

  test('that allow something and never matched are dropped', () => {
    const { plan, rules } = rulesOf([
      { path: '/', allow: false },
      { path: 'docs', allow: true },
      { path: '/a//b', allow: true },
      { regex: true, allow: true, regexp: { raw: '(' } },
      { regex: true, allow: true },
    ])
    expect(rules.map(({ path }) => path)).toEqual(['/'])
    expect(subjectsOf(plan, 'rule-dropped')).toEqual([
      'allow docs (admin)',
      'allow /a//b (admin)',
      'allow ( (admin)',
      'allow nothing (admin)',
    ])
  })

  test('with an invalid expression deny everything', () => {
    const { plan, rules } = rulesOf([{ regex: true, regexp: { raw: '(' } }])
    expect(subjectsOf(plan, 'rule-unreadable')).toEqual(['deny ( (admin)'])
    expect(visibilityOf(rules, false, { foldsCase: false }).permits(parsePath('/anything'))).toBe(false)
  })

  test('that allowed only the content of a folder still do', () => {
    const { plan, rules } = rulesOf([{ path: '/docs/', allow: true }], [{ path: '/' }])
    expect(subjectsOf(plan, 'rule-rewritten')).toEqual(['allow /docs/ (admin)'])
    const visibility = visibilityOf([...(plan.config?.settings.rules ?? []), ...rules], false, { foldsCase: false })
    expect(['/docs', '/docs/a', '/other'].map((path) => visibility.permits(parsePath(path)))).toEqual([
      false,
      true,
      false,
    ])
    // Where nothing denies the folder there is nothing to keep apart.
    expect(rulesOf([{ path: '/docs/', allow: true }]).rules[0]?.path).toBe('/docs/')
  })

  test('never show a hidden entry, in any spelling', () => {
    const random = randomFrom(42)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const paths = ['', '/', 'a', '/a', '/a/', 'a/', '//a', '/a/b', '/a//b', '/a/b/', '/b', '/ab', '/a/.', '/a/../b']
    const expressions = ['^/a$', 'b', '/a/', '(', '^/$', '^/a/b', '', 'a$', undefined]
    const asked = ['/', '/a', '/b', '/ab', '/a/b', '/a/b/c', '/a/c', '/b/a', '/c']
    for (let round = 0; round < 3000; round += 1) {
      const make = () =>
        Array.from({ length: random(4) }, () => {
          const raw = pick(expressions)
          const allow = random(2) === 0
          return random(3) === 0
            ? { regex: true, allow, path: '', regexp: raw === undefined ? undefined : { raw } }
            : { regex: false, allow, path: pick(paths) }
        })
      const [global, own] = [make(), make()]
      const kept = rulesFrom(global, { name: '', link: '' }, collectChanges())
      kept.push(...rulesFrom(own, { name: 'own', link: '' }, collectChanges(), kept))
      const visibility = visibilityOf(kept, false, { foldsCase: false })
      for (const path of asked)
        if (visibility.permits(parsePath(path)) && !wasVisible([...global, ...own], path))
          throw new Error(`${path} became visible with ${JSON.stringify({ global, own })}`)
    }
  })
})

/**
 * How File Browser decided: the last rule that matches. An expression that cannot be read broke every request there; one
 * that denies stands for everything, and one that allows for nothing.
 */
function wasVisible(rules: readonly Record<string, unknown>[], path: string): boolean {
  let isAllowed = true
  for (const rule of rules.map((rule) => ({ ...rule, ...Rule.parse(rule) }))) {
    let matches: boolean
    if (rule.regex) {
      const isReadable = rule.regexp !== null && rule.regexp.raw !== '('
      matches = isReadable ? new RegExp(rule.regexp?.raw ?? '').test(path) : !rule.allow
    } else matches = path === rule.path || path.startsWith(rule.path.endsWith('/') ? rule.path : `${rule.path}/`)
    if (matches) isAllowed = rule.allow
  }
  return isAllowed
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
