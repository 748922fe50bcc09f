import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readStored, type Stored } from '../src/commandline/stored.ts'
import { openDatabase } from '../src/database/open.ts'
import { verifyPassword } from '../src/users/passwords.ts'
import { type Account, accountNamed } from '../src/users/store.ts'
import { version } from '../src/version.ts'
import { modeOf } from './disk.ts'
import { admin, askAt, freePort, launch, type RunOptions, run, signIn, startProgram, untilHealthy } from './process.ts'

setDefaultTimeout(20_000)

const password = 'a password of their own'

let folder: string
let prepared: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'filestead-commands-'))
  prepared = join(folder, 'prepared.db')
  await run(['config', 'init', '-d', prepared])
  await run(['users', 'add', 'boss', password, '--perm.admin', '-d', prepared])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A database with one administrator, in a folder of its own where the commands are run. */
class Place {
  readonly folder = mkdtempSync(join(folder, 'place-'))
  readonly database = join(this.folder, 'filestead.db')

  constructor() {
    copyFileSync(prepared, this.database)
  }

  run(words: string[], options: RunOptions = {}) {
    return run(words, { cwd: this.folder, ...options })
  }

  /** The output of a command that must succeed. */
  async ask(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(words)
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`)
    return stdout
  }

  /** The one line of a command that must fail. */
  async refusal(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(words)
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
    return stderr.trimEnd()
  }

  async stored(): Promise<Stored> {
    const db = await openDatabase(this.database)
    return readStored(db).finally(() => db.destroy())
  }

  async account(name: string): Promise<Account> {
    const db = await openDatabase(this.database)
    const account = await accountNamed(db, name).finally(() => db.destroy())
    if (account === undefined) throw new Error(`There is no account ${name}`)
    return account
  }
}

const inPairs = async <T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  for (let at = 0; at < list.length; at += 2) await Promise.all(list.slice(at, at + 2).map(work))
}

describe('the database', () => {
  test('must be there for every command but config init', async () => {
    const nowhere = join(folder, 'none/filestead.db')
    const commands = ['config cat', 'config set', 'users ls', 'users rm 1', 'rules ls', 'cmds add after_upload x']
    await inPairs(commands, async (command) => {
      const { code, stderr } = await run([...command.split(' '), '-d', nowhere])
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `Error: ${nowhere} does not exist. Please run 'filestead config init' first.\n`,
      })
    })
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })

  test('is made for its owner alone, with the folders above it, and never over another', async () => {
    const file = join(folder, 'new/folder/filestead.db')
    const made = await run(['config', 'init', '-d', file])
    expect(made).toMatchObject({ code: 0, stderr: `No config file used\nUsing database: ${file}\n` })
    expect(made.stdout).toContain(`Created ${file}`)
    expect([modeOf(file), modeOf(join(folder, 'new/folder')), modeOf(join(folder, 'new'))]).toEqual([
      '600',
      '700',
      '700',
    ])
    expect(await run(['config', 'init', '-d', file])).toMatchObject({
      code: 1,
      stderr: `Error: ${file} already exists\n`,
    })
  })

  test('an empty file is none', async () => {
    const file = join(folder, 'empty.db')
    writeFileSync(file, '')
    expect((await run(['users', 'ls', '-d', file])).stderr).toContain('does not exist')
    expect((await run(['config', 'init', '-d', file])).code).toBe(0)
  })

  test('a damaged one of File Browser is refused and left alone', async () => {
    const place = join(folder, 'predecessor')
    mkdirSync(place)
    const page = Buffer.alloc(8192)
    page.writeUInt32LE(0xed0cdaed, 16)
    writeFileSync(join(place, 'filebrowser.db'), page)
    await inPairs([[], ['config', 'init'], ['users', 'ls']], async (words) => {
      const { code, stdout, stderr } = await run(words, { cwd: place })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^Error: .*\/filebrowser\.db is (a database of File Browser|damaged)[^\n]*\n$/)
    })
    expect(readdirSync(place)).toEqual(['filebrowser.db'])
    expect(readFileSync(join(place, 'filebrowser.db')).equals(page)).toBe(true)
  })

  test('may be named by the environment or a config file', async () => {
    const place = new Place()
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere)
    const byVariable = await run(['users', 'ls'], { cwd: elsewhere, env: { FB_DATABASE: place.database } })
    expect(byVariable.stdout).toContain('boss')
    writeFileSync(join(elsewhere, '.filebrowser.yaml'), `Database: ${place.database}\nprot: 80\n`)
    const byFile = await run(['users', 'ls'], { cwd: elsewhere })
    expect(byFile.stdout).toContain('boss')
    expect(byFile.stderr).toBe(
      'The config file .filebrowser.yaml holds "prot", which means nothing\n' +
        `Using config file: .filebrowser.yaml\nUsing database: ${place.database}\n`,
    )
  })
})

describe('config', () => {
  test('init stores what the flags say, in settings, server and ways to sign in', async () => {
    const place = new Place()
    rmSync(place.database)
    await place.ask(
      ...['config', 'init', '-s', '-p', '9000', '-r', 'files', '--disableExec=false', '--cacheSize', '2GB'],
      ...['--hideLoginButton', '--createUserDir=true', '--minimumPasswordLength', '8', '--shell', '/bin/sh -c'],
      ...['--file-mode', '0600', '--dirMode=0o700', '--auth.method', 'proxy', '--auth.header', 'X-User'],
      ...['--auth.createUsers=false', '--auth.logoutPage', '/bye', '--branding.name', 'Files', '--branding.theme=dark'],
      ...['--branding.disableExternal', '--tus.chunkSize', '5MB', '--tus.retryCount', '0', '--perm.execute=false'],
      ...['--sorting.by', 'size', '--sorting.asc', '--viewMode', 'mosaic', '--commands', 'git, ls', '--scope', '/all'],
      ...['--locale', 'de', '--aceEditorTheme', 'dawn', '--hideDotfiles', '--dateFormat', '--singleClick'],
    )
    const { settings, auth, server } = await place.stored()
    expect(settings).toMatchObject({
      signup: true,
      hideLoginButton: true,
      createUserDir: true,
      minimumPasswordLength: 8,
      shell: ['/bin/sh', '-c'],
      fileMode: 0o600,
      dirMode: 0o700,
      authMethod: 'proxy',
      logoutPage: '/bye',
      branding: { name: 'Files', theme: 'dark', disableExternal: true, disableUsedPercentage: false },
      tus: { chunkSize: 5_000_000, retryCount: 0 },
      defaults: {
        perm: { admin: false, execute: false, create: true, share: true, download: true },
        sorting: { by: 'size', asc: true },
        viewMode: 'mosaic',
        commands: ['git', 'ls'],
        scope: '/all',
        locale: 'de',
        aceEditorTheme: 'dawn',
        hideDotfiles: true,
        dateFormat: true,
        singleClick: true,
        redirectAfterCopyMove: false,
      },
    })
    expect(auth).toMatchObject({ header: 'X-User', createUsers: false, recaptcha: null })
    expect(server).toEqual({ port: '9000', root: join(place.folder, 'files'), disableExec: false, cacheSize: '2GB' })
  })

  test('set changes what is named and nothing else, and cat shows it', async () => {
    const place = new Place()
    const before = await place.stored()
    await place.ask('config', 'set', '--signup', '--branding.color', '#123456', '-b', '/files', '--perm.delete=false')
    const after = await place.stored()
    expect(after.settings).toEqual({
      ...before.settings,
      signup: true,
      branding: { ...before.settings.branding, color: '#123456' },
      defaults: { ...before.settings.defaults, perm: { ...before.settings.defaults.perm, delete: false } },
    })
    expect(after.auth).toEqual(before.auth)
    expect(after.server).toEqual({ baseURL: '/files' })

    await place.ask('config', 'set', '--signup=false')
    expect((await place.stored()).server).toEqual({ baseURL: '/files' })
    const shown = await place.ask('config', 'cat')
    expect(shown).toMatch(/Sign up: +false\n/)
    expect(shown).toMatch(/Color: +#123456\n/)
    expect(shown).toMatch(/baseURL: +\/files\n/)
    expect(shown).toMatch(/File mode: +0640\n/)
    expect(new Set([...shown.matchAll(/^ {2}\S[^:\n]*: +(?=\S)/gm)].map(([head]) => head.length)).size).toBe(1)
  })

  test('set keeps both halves of a captcha apart, hides the secret, and an empty key removes both', async () => {
    const place = new Place()
    const half = await place.run(['config', 'set', '--recaptcha.key', 'K'])
    expect(half.stderr).toContain('The captcha is off until')
    const whole = await place.ask('config', 'set', '--recaptcha.secret', 'hush-hush')
    expect(whole).not.toContain('hush-hush')
    expect((await place.stored()).auth.recaptcha).toEqual({
      host: 'https://www.google.com',
      key: 'K',
      secret: 'hush-hush',
    })
    await place.ask('config', 'set', '--recaptcha.key=')
    expect((await place.stored()).auth.recaptcha).toBeNull()
  })

  test('what is wrong is named, and nothing is written', async () => {
    const place = new Place()
    const before = await place.stored()
    const mistakes: [string[], string][] = [
      [['--auth.method', 'proxy'], '--auth.method proxy needs --auth.header, the header that names the user'],
      [['--auth.method=hook', '--signup'], '--auth.method hook needs --auth.command, the program that decides'],
      [['--viewMode', 'tiles', '--signup'], '--viewMode "tiles" must be list or mosaic'],
      [['--socket', 's', '--port', '1'], '--socket cannot be used together with --port'],
    ]
    await inPairs(mistakes, async ([words, message]) => {
      expect(await place.refusal('config', 'set', ...words)).toBe(`Error: ${message}`)
    })
    expect(await place.stored()).toEqual(before)

    rmSync(place.database)
    expect(await place.refusal('config', 'init', '--auth.method', 'hook')).toContain('--auth.command')
    expect(readdirSync(place.folder)).toEqual([])
  })
})

describe('users', () => {
  test('are added, shown, found by id and name, and removed', async () => {
    const place = new Place()
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
      /^ID +Username +Scope +Locale +V\. Mode +S\.Click +Red\. After C\/M +Admin +Execute +Create +Rename +Modify +Delete +Share +Download +Pwd Lock\n/,
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

  test('an update changes what is named and nothing else', async () => {
    const place = new Place()
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

  test('what is wrong is named, and the last administrator stays one', async () => {
    const place = new Place()
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

  test('a home is made where the root is known, and nowhere else', async () => {
    const place = new Place()
    const roots = ['flag', 'variable', 'file', 'stored'].map((name) => join(place.folder, name))
    const [flag = '', variable = '', file = '', stored = ''] = roots
    for (const root of roots) mkdirSync(root)

    const unknown = await place.run(['users', 'add', 'a', password, '--scope', '/a'])
    expect(unknown).toMatchObject({ code: 0 })
    expect(unknown.stderr).toContain('The folder /a was not made: nobody has said where the root is')
    expect(readdirSync(place.folder).sort()).toEqual(['file', 'filestead.db', 'flag', 'stored', 'variable'])

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
  test('for everybody and for one user are added, shown and removed by number', async () => {
    const place = new Place()
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

  test('what is wrong is named', async () => {
    const place = new Place()
    const mistakes: [string[], string][] = [
      [['rm', '0'], 'There is no rule "0": there are none'],
      [['add', '-r', '(['], 'the rule "([" is not a valid expression'],
    ]
    await inPairs(mistakes, async ([words, message]) => {
      expect(await place.refusal('rules', ...words)).toBe(`Error: ${message}`)
    })
  })
})

test('commands of events are added, shown and removed by number', async () => {
  const place = new Place()
  expect(await place.ask('cmds', 'ls')).toBe('There are no commands\n')
  await place.ask('cmds', 'add', 'after_upload', 'echo', 'hello')
  await place.ask('cmds', 'add', 'before_save', 'touch -c $FILE')
  const both = 'after_upload(0): echo hello\nbefore_save(0): touch -c $FILE\n'
  expect(await place.ask('cmds', 'ls')).toBe(both)
  expect(await place.ask('cmds', 'ls', '-e', 'before_save')).toBe('before_save(0): touch -c $FILE\n')
  expect(await place.refusal('cmds', 'add', 'after_uplaod', 'x')).toStartWith(
    'Error: There is no event "after_uplaod" (Did you mean after_upload?)',
  )
  expect(await place.refusal('cmds', 'rm', 'after_upload', '1')).toBe(
    'Error: There is no command of after_upload "1": they go from 0 to 0',
  )
  expect(await place.ask('cmds', 'rm', 'after_upload', '0')).toBe('before_save(0): touch -c $FILE\n')
})

describe('beside a running server', () => {
  test('changes count with the next request, and a new password ends the sessions', async () => {
    await using program = await startProgram()
    const change = (...words: string[]) => run([...words, '-d', program.database])
    const statusOf = async (path: string) => (await program.ask(path)).status
    await program.ask('/api/resources/secret/', { method: 'POST' })
    expect(await statusOf('/api/resources/secret/')).toBe(200)
    await Promise.all([change('rules', 'add', '/secret'), change('config', 'set', '--branding.name', 'Our files')])
    expect(await statusOf('/api/resources/secret/')).toBe(403)
    expect(await (await program.ask('/')).text()).toContain('Our files')
    await Promise.all([
      change('users', 'add', 'late', password),
      change('users', 'update', 'admin', '-p', 'changed now!'),
    ])
    expect(await statusOf('/api/users')).toBe(401)
    expect(await signIn(program.url, { username: 'late', password })).toBeTruthy()
    expect(await signIn(program.url, { username: admin.username, password: 'changed now!' })).toBeTruthy()
  })
})

describe('the first start', () => {
  test('takes the name and the hash of the administrator, and remembers how it was started', async () => {
    const place = new Place()
    rmSync(place.database)
    const { stdout: hash } = await run(['hash', '--bcrypt', 'tiny'])
    const port = await freePort()
    writeFileSync(join(place.folder, '.filestead.json'), JSON.stringify({ Port: port, username: 'root' }))
    const start = async (words: string[]) => {
      await using running = launch(words, { cwd: place.folder })
      await untilHealthy(`http://127.0.0.1:${port}`, running)
      await signIn(`http://127.0.0.1:${port}`, { username: 'root', password: 'tiny' })
      running.signal('SIGTERM')
      return running.ended
    }
    const first = await start(['--password', hash.trim(), '--disableExec=false'])
    expect(first.stdout).toContain('as given with --password')
    expect(first.stderr).toContain('Using config file: .filestead.json\n')
    expect((await place.stored()).server).toEqual({ port, disableExec: false })
    rmSync(join(place.folder, '.filestead.json'))
    const second = await start(['--noauth'])
    expect(second.stderr).toContain(`--noauth counts only at the first start: ${place.database} is there already\n`)
    expect((await place.stored()).settings.authMethod).toBe('json')
  })

  test('can leave out signing in', async () => {
    const place = new Place()
    rmSync(place.database)
    const port = await freePort()
    await using running = launch(['--noauth', '-p', String(port)], {
      cwd: place.folder,
      env: { FB_REDIS_CACHE_URL: 'x' },
    })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    expect((await askAt(`http://127.0.0.1:${port}`, '/api/login', { method: 'POST' })).status).toBe(200)
    running.signal('SIGTERM')
    expect((await running.ended).stderr).toContain('--redisCacheUrl is ignored')
  })

  test('happens once when two start at the same time', async () => {
    const place = new Place()
    rmSync(place.database)
    const start = async () => {
      const port = await freePort()
      await using running = launch(['-p', String(port)], { cwd: place.folder })
      await untilHealthy(`http://127.0.0.1:${port}`, running)
      return running.stdout()
    }
    const shown = await Promise.all([start(), start()])
    expect(shown.join('').match(/Password:/g)).toHaveLength(1)
    expect((await place.ask('users', 'ls')).split('\n')).toHaveLength(3)
  })

  test('makes nothing when something is wrong', async () => {
    const place = new Place()
    rmSync(place.database)
    const mistakes: [string[], string][] = [
      [['--password', 'secret'], "--password must be a hash; make one with 'filestead hash PASSWORD'"],
      [['--username='], '--username "" must not be empty'],
      [['--imageProcessors', '0'], '--imageProcessors "0" must be a whole number of at least 1'],
      [['-r', '/nowhere/at/all'], 'Cannot serve /nowhere/at/all: it does not exist'],
      [['--config', 'none.json'], 'The config file none.json does not exist'],
      [['--database='], '--database must not be empty'],
    ]
    await inPairs(mistakes, async ([words, message]) => {
      expect(await place.refusal(...words)).toBe(`Error: ${message}`)
    })
    expect(readdirSync(place.folder)).toEqual([])
  })
})

describe('the rest', () => {
  test('hash makes what can be verified', async () => {
    const [ours, bcrypt] = await Promise.all([run(['hash', 'tiny']), run(['hash', 'tiny', '--bcrypt'])])
    expect(ours.stdout).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$\S+\n$/)
    expect(bcrypt.stdout).toMatch(/^\$2b\$10\$\S{53}\n$/)
    expect(await verifyPassword('tiny', ours.stdout.trim())).toBe(true)
    expect(await verifyPassword('tiny', bcrypt.stdout.trim())).toBe(true)
    const [empty, long] = await Promise.all([run(['hash', '']), run(['hash', '--bcrypt', 'x'.repeat(73)])])
    expect(empty).toMatchObject({ code: 1, stderr: 'Error: password is empty\n' })
    expect(long).toMatchObject({ code: 1, stderr: 'Error: password is too long: bcrypt takes 72 bytes\n' })
  })

  test('version, help and mistyped words', async () => {
    const [word, flag, help, deep, group, command, option] = [
      ...(await Promise.all([run(['version']), run(['--version'])])),
      ...(await Promise.all([run(['--help']), run(['help', 'users', 'add'])])),
      ...(await Promise.all([run(['users']), run(['user', 'ls', '--x'])])),
      await run(['config', 'set', '--signpu']),
    ]
    expect(word).toEqual({ code: 0, stdout: `Filestead ${version}\n`, stderr: '' })
    expect(flag).toEqual(word)
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toMatch(
      /Where it listens:\n +-a, --address <address> +address to listen on \(default: 127\.0\.0\.1\)/,
    )
    expect(help.stdout.trimEnd().split('\n').at(-1)).toContain('filestead users add')
    expect(deep.stdout).toStartWith('Usage: filestead users add [options] <name> <password>')
    expect(group.code).toBe(1)
    expect(group.stderr).toStartWith('Usage: filestead users')
    expect(command.stderr).toBe("Error: unknown command 'user' (Did you mean users?)\n")
    expect(option.stderr).toBe("Error: unknown option '--signpu' (Did you mean --signup?)\n")
  })

  test('an unexpected error shows its stack only to those who ask', async () => {
    const place = new Place()
    const db = await openDatabase(place.database)
    await db.updateTable('setting').set({ value: 'broken' }).where('name', '=', 'settings').execute()
    await db.destroy()
    expect(await place.refusal('config', 'cat')).toMatch(/^Error: JSON Parse error/)
    const asked = await place.run(['config', 'cat'], { env: { FILESTEAD_DEBUG: '1' } })
    expect(asked.stderr).toContain('stored.ts')
  })

  test('completion scripts complete', async () => {
    const [bash, zsh, fish, powershell, other] = [
      ...(await Promise.all([run(['completion', 'bash']), run(['completion', 'zsh'])])),
      ...(await Promise.all([run(['completion', 'fish']), run(['completion', 'powershell'])])),
      await run(['completion', 'tcsh']),
    ]
    const complete = (...words: string[]) =>
      Bun.spawnSync([
        'bash',
        '-c',
        `${bash.stdout}
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _filestead; echo "\${COMPREPLY[@]}"`,
        'x',
        'filestead',
        ...words,
      ])
        .stdout.toString()
        .trim()
    expect(complete('us')).toBe('users')
    expect(complete('-d', 'x', 'users', 'u')).toBe('update')
    expect(complete('rules', 'add', '--u')).toBe('--username')
    expect(complete('config', 'set', '--branding.t')).toBe('--branding.theme')
    expect(zsh.stdout).toStartWith('#compdef filestead')
    expect(fish.stdout).toContain('complete -c filestead')
    expect(powershell.stdout).toContain('Register-ArgumentCompleter')
    expect(other).toMatchObject({
      code: 1,
      stderr: 'Error: There is no completion for "tcsh", only for bash, zsh, fish, powershell\n',
    })
  })
})
