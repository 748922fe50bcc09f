import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStored } from '../src/cli/config/stored.ts'
import { signingKey } from '../src/settings/settings.ts'
import { takeoverIn } from '../src/takeover/document.ts'
import { oldConfigOf, oldUserOf } from '../src/takeover/export-format.ts'
import { sourceInExport } from '../src/takeover/from-exports.ts'
import { planTakeover } from '../src/takeover/plan.ts'
import { writePlan } from '../src/takeover/write.ts'
import { allAccounts } from '../src/users/store.ts'
import { testDatabase } from './database.ts'
import { modeOf, scratchFolder } from './disk.ts'
import { oldDatabase, oldSettings, oldUser, sample } from './file-browser-database.ts'
import { run } from './process.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('exports')
beforeAll(async () => {
  copyFileSync(sample.database, at('filebrowser.db'))
  await told('takeover')
})

const at = (name: string): string => join(folder, name)
const textOf = (name: string): string => readFileSync(at(name), 'utf8')

/** The output of a command that must succeed. */
async function told(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await run(words, { cwd: folder })
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`)
  return { stdout, stderr }
}

test('an export equals that of File Browser byte for byte', async () => {
  await told('config', 'export', 'config.json', '-d', 'filebrowser.db')
  await told('users', 'export', 'users.json', '-d', 'filebrowser.db')
  expect(textOf('config.json')).toBe(readFileSync(sample.config, 'utf8'))
  expect(textOf('users.json')).toBe(readFileSync(sample.users, 'utf8'))
  expect([modeOf(at('config.json')), modeOf(at('users.json'))]).toEqual(['600', '600'])
})

test('an export as YAML has the names that File Browser reads', async () => {
  await told('config', 'export', 'config.yaml')
  await told('users', 'export', 'users.yml')
  const config = Bun.YAML.parse(textOf('config.yaml')) as Record<string, Record<string, unknown>>
  expect(config.settings).toMatchObject({ hideloginbutton: false, userhomebasepath: '/users', filemode: 416 })
  expect(Buffer.from(config.settings?.key as number[]).toString('base64')).toBe(sample.read('config').settings.key)
  expect(config.server).toMatchObject({ port: '9251', imageresolutioncal: true, tlskey: '', baseurl: '' })
  expect(config.auther).toEqual({ recaptcha: null })
  const [first] = Bun.YAML.parse(textOf('users.yml')) as Record<string, unknown>[]
  expect(first).toMatchObject({ lockpassword: false, hidedotfiles: false, aceeditortheme: '', viewmode: 'list' })
})

test('an export of settings and one of users are taken over at once', async () => {
  const { stderr } = await told('takeover', '--from', 'config.json', '--from', 'users.yml', '-d', 'together.db')
  expect(stderr).toContain('Remove the exports')
  await told('users', 'export', 'again.json', '-d', 'together.db')
  expect(textOf('again.json')).toBe(readFileSync(sample.users, 'utf8'))
})

test.each([
  ['config.json', 'users.json'],
  ['users.json', 'config.json'],
  ['config.yaml', 'users.yml'],
  ['users.yml', 'config.yaml'],
])('%s and then %s are taken over, each of them once', async (first, second) => {
  const db = await testDatabase()
  const take = (name: string) => writePlan(db, planTakeover([sourceInExport(at(name))], undefined, 1_800_000_000))
  for (const name of [first, second]) {
    await take(name)
    await expect(take(name)).rejects.toThrow('have been taken over already')
  }
  const { settings, auth, server } = await readStored(db)
  const key = Buffer.from(await signingKey(db)).toString('base64')
  expect(oldConfigOf(settings, auth, server, key)).toEqual(sample.read('config'))
  expect((await allAccounts(db)).map(oldUserOf)).toEqual(sample.read('users'))
  expect((await takeoverIn(db))?.report.taken).toEqual({ settings: true, users: 3, shares: 0, rules: 3 })
  await db.destroy()
})

test('every field survives an import and an export', async () => {
  const settings = {
    ...oldSettings({ signup: true, createUserDir: true, userHomeBasePath: '/homes', minimumPasswordLength: 8 }),
    ...{ authMethod: 'hook', logoutPage: '/bye', fileMode: 0o600, dirMode: 0o700, shell: ['/bin/sh', '-c'] },
    branding: {
      name: 'B',
      disableExternal: true,
      disableUsedPercentage: true,
      files: '/b',
      theme: 'dark',
      color: '#123',
    },
    tus: { chunkSize: 1000, retryCount: 0 },
    commands: { after_upload: ['a "b c"'], Custom: ['x'] },
    rules: [{ regex: true, allow: false, path: '', regexp: { raw: 'secret' } }],
  }
  const user = {
    ...oldUser(7, 'every', { scope: '/x', locale: 'pt-br', lockPassword: true, viewMode: 'mosaic', singleClick: true }),
    ...{ redirectAfterCopyMove: true, commands: ['git'], sorting: { by: 'size', asc: true }, hideDotfiles: true },
    ...{
      dateFormat: true,
      aceEditorTheme: 'twilight',
      rules: [{ regex: false, allow: true, path: '/y', regexp: null }],
    },
  }
  writeFileSync(at('every.db'), oldDatabase({ settings, auther: { command: '/bin/check me' }, users: [user] }))
  await told('takeover', '--from', 'every.db')
  expect(existsSync(at('every.filestead.db'))).toBe(true)
  await told('config', 'export', 'every.json', '-d', 'every.db')
  await told('users', 'export', 'every-users.json', '-d', 'every.db')
  const exported = JSON.parse(textOf('every.json'))
  expect(exported.settings).toMatchObject({ ...settings, defaults: expect.anything() })
  expect(exported.auther).toEqual({ command: '/bin/check me' })
  expect(exported.server.enableExec).toBe(false)
  expect(JSON.parse(textOf('every-users.json'))).toEqual([user])
})

test('an export names passwords that File Browser cannot check, and refuses other extensions', async () => {
  copyFileSync(at('filestead.db'), at('changed.db'))
  await told('users', 'update', 'reader', '-p', 'a password of their own', '-d', 'changed.db')
  const { stderr } = await told('users', 'export', 'changed.json', '-d', 'changed.db')
  expect(stderr).toContain('cannot check the passwords of reader:')
  const { code, stderr: refusal } = await run(['config', 'export', 'settings.txt'], { cwd: folder })
  expect([code, refusal]).toEqual([1, 'Error: invalid format: .txt; use .json, .yaml or .yml\n'])
  expect(existsSync(at('settings.txt'))).toBe(false)
})

test.each([
  ['bad.json', '{"settings": ', /bad\.json cannot be understood/],
  ['no-server.json', '{"settings": {}}', /the settings cannot be understood, in server/],
  ['text.yaml', 'just text', /the settings cannot be understood/],
  ['damaged.json', '[{"id": 1, "username": 5}]', /user number 1 cannot be understood, in username/],
])('a damaged export (%s) is refused', (name, content, reason) => {
  writeFileSync(at(name), content)
  expect(() => sourceInExport(at(name))).toThrow(reason)
})

test('a damaged export changes nothing', async () => {
  const { code, stdout, stderr } = await run(['takeover', '--from', 'damaged.json', '-d', 'none.db'], { cwd: folder })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('damaged.json')
  expect(existsSync(at('none.db'))).toBe(false)
})
