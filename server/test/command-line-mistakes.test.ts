import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Settings, User } from '@filestead/contract'
import { readStored, type Stored } from '../src/cli/config/stored.ts'
import { program } from '../src/cli/program.ts'
import { systemClock } from '../src/clock.ts'
import { openDatabase } from '../src/database/open.ts'
import { saveFirstDocument } from '../src/settings/store.ts'
import { allUsers } from '../src/users/store.ts'
import { createUser } from '../src/users/users.ts'
import { scratchFolder } from './disk.ts'

// The words are read in this process: starting the program for each of them would take a minute.

const password = 'a password of their own'
const folder = scratchFolder('mistakes')
const database = join(folder, 'filestead.db')

beforeAll(async () => {
  const db = await openDatabase(database)
  const settings = Settings.parse({ defaults: { perm: { share: true, download: true } } })
  await saveFirstDocument(db, 'settings', settings)
  const boss = User.parse({ ...settings.defaults, username: 'boss', password, perm: { admin: true } })
  await createUser({ db, clock: systemClock }, settings, boss)
  await db.destroy()
})

async function everything(): Promise<{ stored: Stored; users: User[] }> {
  const db = await openDatabase(database)
  const found = { stored: await readStored(db), users: await allUsers(db) }
  await db.destroy()
  return found
}

/** The message of a command that must fail, and must have changed nothing. */
async function refusal(words: string[]): Promise<string> {
  const before = await everything()
  const error = await program()
    .parseAsync([...words, '-d', database], { from: 'user' })
    .then(
      () => undefined,
      (error: Error) => error,
    )
  expect(await everything()).toEqual(before)
  return error?.message ?? 'there was no mistake'
}

describe('config set refuses', () => {
  test.each([
    [['--auth.method', 'ldap'], '--auth.method "ldap" must be json, proxy, hook or noauth'],
    [['--branding.theme', 'blue', '--signup'], '--branding.theme "blue" must be empty, light or dark'],
    [['--sorting.by', 'colour'], '--sorting.by "colour" must be name, size or modified'],
    [['--signup=maybe'], '--signup "maybe" must be true or false'],
    [['--fileMode', '999'], '--fileMode "999" must be an octal mode in quotes, such as "0640"'],
    [['--dirMode', '7'], '--dirMode "7" must be an octal mode in quotes, such as "0640"'],
    [['--tus.chunkSize', 'big'], '--tus.chunkSize "big" must be an amount such as 500M, 1GB or 64MiB'],
    [['--tus.retryCount', '-1'], '--tus.retryCount "-1" must be a whole number from 0 to 65535'],
    [['--minimumPasswordLength', '0'], '--minimumPasswordLength "0" must be a whole number from 1 to 1000'],
    [['--locale='], '--locale "" must not be empty'],
    [['--port', '99999', '--signup'], '--port "99999" must be a whole number from 0 to 65535'],
    [['--tokenExpirationTime', 'soon'], '--tokenExpirationTime "soon" must be a time span such as 2h'],
    [['--cert', 'a.pem'], '--cert and --key only work together: one of them is missing'],
    [['--root='], '--root "" must not be empty'],
    [['--perm.download=false'], 'permission to share requires permission to download'],
    [
      ['--signup=x', '--dateFormat=?', '-p', 'z'],
      '--signup "x" must be true or false; --dateFormat "?" must be true or false; --port "z" must be a whole number from 0 to 65535',
    ],
  ])('%j', async (words, message) => {
    expect(await refusal(['config', 'set', ...words])).toBe(message)
  })
})

describe('users refuses', () => {
  test.each([
    [['add', ' ', password], 'username is empty'],
    [['add', 'carl', ''], 'password is empty'],
    [['add', 'carl', 'qwerty123456'], 'password is too easy'],
    [['add', 'carl', password, '--perm.download=false'], 'permission to share requires permission to download'],
    [['add', 'carl', password, '--viewMode', 'tiles'], '--viewMode "tiles" must be list or mosaic'],
    [['update', 'boss', '-p', 'short'], 'password is too short, minimum length is 12'],
    [['update', 'boss', '--username='], '--username "" must not be empty'],
    [['update', 'boss', '--password='], '--password "" must not be empty'],
    [['update', 'nobody', '--locale', 'de'], 'There is no user "nobody"'],
    [['update', '7', '--locale', 'de'], 'There is no user "7"'],
    [['find', 'Boss'], 'There is no user "Boss"'],
  ])('%j', async (words, message) => {
    expect(await refusal(['users', ...words])).toBe(message)
  })
})

describe('rules and cmds refuse', () => {
  test.each([
    [['rules', 'rm'], "missing required argument 'first'"],
    [['rules', 'rm', 'x', '-u', 'boss'], 'There is no rule "x": there are none'],
    [['rules', 'rm', '0', '5'], 'There is no rule "0": there are none'],
    [['rules', 'add', '-r', '([', '-u', 'boss'], 'the rule "([" is not a valid expression'],
    [['rules', 'ls', '-u', 'nobody'], 'There is no user "nobody"'],
    [['rules', 'ls', '-u', 'boss', '-i', '1'], 'Give --username or --id, not both'],
    [['rules', 'ls', '-i', 'one'], '--id "one" must be a whole number of at least 1'],
    [['cmds', 'add', 'after_upload', ' '], 'The command is empty'],
    [['cmds', 'rm', 'before_copy', '0'], 'There is no command of before_copy "0": there are none'],
  ])('%j', async (words, message) => {
    expect(await refusal(words)).toBe(message)
  })

  test('an unknown event', async () => {
    expect(await refusal(['cmds', 'ls', '-e', 'upload'])).toStartWith('There is no event "upload"')
    expect(await refusal(['cmds', 'rm', 'upload', '0'])).toStartWith('There is no event "upload"')
  })
})
