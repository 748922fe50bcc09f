import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyPassword } from '../src/users/passwords.ts'
import { CliFolder, inPairs, password } from './cli-folder.ts'

setDefaultTimeout(120_000)

describe('users', () => {
  test('are added, listed, found by id and name, and removed', async () => {
    const place = await CliFolder.make()
    const added = await place.ask(
      'users',
      'add',
      '--perm.share=false',
      'carl',
      password,
      '--locale',
      'de',
      '--lockPassword',
    )
    expect(added).toMatch(
      /^ID +Username +Scope +Locale +View mode +Single click +Redirect after copy\/move +Admin +Execute +Create +Rename +Modify +Delete +Share +Download +Password locked\n/,
    )
    expect(added).toMatch(
      /\n2 +carl +\/ +de +list +false +false +false +true +true +true +true +true +false +true +true\n$/,
    )
    const [all, byName, byId] = [
      await place.ask('users', 'ls'),
      await place.ask('users', 'find', 'carl'),
      await place.ask('users', 'find', '2'),
    ]
    expect(all.split('\n')).toHaveLength(4)
    expect(byName).toBe(byId)
    expect(await place.ask('users', 'rm', 'carl')).toBe('Removed user 2, "carl"\n')
    expect(await place.refusal('users', 'find', 'carl')).toBe('Error: There is no user "carl"')
    expect(await place.refusal('users', 'rm', '7')).toBe('Error: There is no user "7"')
  })

  test('update changes only the fields that are given', async () => {
    const place = await CliFolder.make()
    await place.ask(
      'users',
      'add',
      'carl',
      password,
      '--lockPassword',
      '--dateFormat',
      '--hideDotfiles',
      '--commands=git',
    )
    const { user: before } = await place.account('carl')
    await place.ask('users', 'update', 'carl', '--locale', 'fr', '--perm.delete=false')
    expect((await place.account('carl')).user).toEqual({
      ...before,
      locale: 'fr',
      perm: { ...before.perm, delete: false },
    })
    await place.ask(
      'users',
      'update',
      '2',
      '-u',
      'charles',
      '-p',
      'another password',
      '--lockPassword=false',
      '--scope',
      'x/',
    )
    const after = await place.account('charles')
    expect(after.user).toMatchObject({ lockPassword: false, dateFormat: true, hideDotfiles: true, scope: '/x' })
    expect(await verifyPassword('another password', after.passwordHash)).toBe(true)
  })

  test('refuses invalid input with a message and keeps the last administrator', async () => {
    const place = await CliFolder.make()
    const mistakes: [string[], string][] = [
      [['add', 'boss', password], 'This username is taken'],
      [['add', 'carl', 'short'], 'password is too short, minimum length is 12'],
      [['rm', 'boss'], 'The last administrator cannot be removed'],
      [['update', 'boss', '--perm.admin=false'], 'The last administrator cannot step down'],
    ]
    await inPairs(mistakes, async ([words, message]) => {
      expect(await place.refusal('users', ...words)).toBe(`Error: ${message}`)
    })
    expect((await place.ask('users', 'ls')).split('\n')).toHaveLength(3)
  })

  test('a home folder is made only when the root is known', async () => {
    const place = await CliFolder.make()
    const roots = ['flag', 'variable', 'file', 'stored'].map((name) => join(place.folder, name))
    const [flag = '', variable = '', file = '', stored = ''] = roots
    for (const root of roots) mkdirSync(root)

    const unknown = await place.run(['users', 'add', 'a', password, '--scope', '/a'])
    expect(unknown).toMatchObject({ code: 0 })
    expect(unknown.stderr).toContain('The folder /a was not made: the served folder is not known')
    const folders = readdirSync(place.folder).filter((name) => name !== 'filestead.db')
    expect(folders.sort()).toEqual(['file', 'flag', 'stored', 'variable'])

    await place.ask('users', 'add', 'b', password, '--scope', 'deep/b', '-r', flag)
    await place.run(['users', 'add', 'c', password, '--scope', '../../c'], { env: { FB_ROOT: variable } })
    await place.ask('config', 'set', '--root', 'stored', '--createUserDir')
    await place.ask('users', 'add', 'D e', password)
    writeFileSync(join(place.folder, 'c.toml'), `root = "${file}"\n`)
    await place.ask('users', 'add', 'e', password, '-c', 'c.toml')
    expect(roots.map((root) => readdirSync(root, { recursive: true }).sort())).toEqual([
      ['deep', 'deep/b'],
      ['c'],
      ['users', 'users/e'],
      ['users', 'users/D-e'],
    ])
    expect(stored).toBe(String((await place.stored()).server.root))
    expect(await place.refusal('users', 'add', 'f', password, '--scope', '/f', '-r', '/nowhere/at/all')).toBe(
      'Error: There is no folder /nowhere/at/all to make a home in',
    )
    await expect(place.account('f')).rejects.toThrow()
  })
})

describe('rules', () => {
  test('global and user rules are added, listed and removed by number', async () => {
    const place = await CliFolder.make()
    expect(await place.ask('rules', 'ls')).toBe('There are no rules\n')
    await place.ask('rules', 'add', 'private/')
    await place.ask('rules', 'add', '--allow', '/private/open')
    expect(await place.ask('rules', 'add', '-r', '\\.bak$')).toBe(
      '(0) Disallow Path:  /private\n(1) Allow Path:     /private/open\n(2) Disallow Regex: \\.bak$\n',
    )
    expect(await place.ask('rules', 'add', '/mine', '-u', 'boss')).toBe('(0) Disallow Path:  /mine\n')
    expect(await place.ask('rules', 'ls', '-i', '1')).toBe('(0) Disallow Path:  /mine\n')
    expect(await place.ask('rules', 'rm', '0', '1')).toBe('(0) Disallow Regex: \\.bak$\n')
    expect(await place.ask('rules', 'rm', '0', '--index', '0', '-u', 'boss')).toBe('There are no rules\n')
    expect(await place.ask('rules', 'rm', '--index=0')).toBe('There are no rules\n')
  })

  test('refuses invalid input with a message', async () => {
    const place = await CliFolder.make()
    const mistakes: [string[], string][] = [
      [['rm', '0'], 'There is no rule "0": there are none'],
      [['add', '-r', '(['], 'the rule "([" is not a valid expression'],
    ]
    await inPairs(mistakes, async ([words, message]) => {
      expect(await place.refusal('rules', ...words)).toBe(`Error: ${message}`)
    })
  })
})

test('commands of events are added, listed and removed by number', async () => {
  const place = await CliFolder.make()
  expect(await place.ask('cmds', 'ls')).toBe('There are no commands\n')
  await place.ask('cmds', 'add', 'after_upload', 'echo', 'hello')
  await place.ask('cmds', 'add', 'before_save', 'touch -c $FILE')
  const both = 'after_upload(0): echo hello\nbefore_save(0): touch -c $FILE\n'
  expect(await place.ask('cmds', 'ls')).toBe(both)
  expect(await place.ask('cmds', 'ls', '-e', 'before_save')).toBe('before_save(0): touch -c $FILE\n')
  expect(await place.refusal('cmds', 'add', 'after_uplaod', 'x')).toStartWith(
    'Error: There is no event "after_uplaod". The events are: ',
  )
  expect(await place.refusal('cmds', 'rm', 'after_upload', '1')).toBe(
    'Error: There is no command of after_upload "1": they go from 0 to 0',
  )
  expect(await place.ask('cmds', 'rm', 'after_upload', '0')).toBe('before_save(0): touch -c $FILE\n')
})
