import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openDatabase } from '../src/database/open.ts'
import { verifyPassword } from '../src/users/passwords.ts'
import { version } from '../src/version.ts'
import { CliFolder, folder, inPairs, password } from './cli-folder.ts'
import { modeOf } from './disk.ts'
import { admin, environmentWith, launcher, run, signIn, startProgram } from './process.ts'

setDefaultTimeout(120_000)

describe('the database', () => {
  test('must exist for every command except config init', async () => {
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

  test('is created for its owner only, with missing parent folders, and not over an existing one', async () => {
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

  test('an empty file is not accepted as a database', async () => {
    const file = join(folder, 'empty.db')
    writeFileSync(file, '')
    expect((await run(['users', 'ls', '-d', file])).stderr).toContain('does not exist')
    expect((await run(['config', 'init', '-d', file])).code).toBe(0)
  })

  test('a damaged database of File Browser is refused and left unchanged', async () => {
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

  test('is named by the environment or a config file', async () => {
    const place = await CliFolder.make()
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere)
    const byVariable = await run(['users', 'ls'], { cwd: elsewhere, env: { FB_DATABASE: place.database } })
    expect(byVariable.stdout).toContain('boss')
    writeFileSync(join(elsewhere, '.filebrowser.yaml'), `Database: ${place.database}\nprot: 80\n`)
    const byFile = await run(['users', 'ls'], { cwd: elsewhere })
    expect(byFile.stdout).toContain('boss')
    expect(byFile.stderr).toBe(
      'Warning: Unknown key "prot" in .filebrowser.yaml is ignored; did you mean "port"?\n' +
        `Using config file: .filebrowser.yaml\nUsing database: ${place.database}\n`,
    )
  })
})

describe('config', () => {
  test('init stores the flags as settings, server options and sign-in methods', async () => {
    const place = await CliFolder.unused()
    await place.ask(
      ...[
        'config',
        'init',
        '-d',
        place.database,
        '-s',
        '-p',
        '9000',
        '-r',
        'files',
        '--disableExec=false',
        '--cacheSize',
        '2GB',
      ],
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

  test('set changes only the given settings, and cat prints them', async () => {
    const place = await CliFolder.make()
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

  test('set stores both captcha keys, hides the secret, and removes both with an empty key', async () => {
    const place = await CliFolder.make()
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

  test('refuses invalid input with a message and writes nothing', async () => {
    const place = await CliFolder.make()
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

    const unused = await CliFolder.unused()
    expect(await unused.refusal('config', 'init', '--auth.method', 'hook')).toContain('--auth.command')
    expect(readdirSync(unused.folder)).toEqual([])
    expect((await unused.run(['users', 'ls'])).stderr).toContain("run 'filestead config init' first")
  })
})

describe('beside a running server', () => {
  test('changes apply to the next request, and a new password ends the sessions', async () => {
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

describe('other commands', () => {
  test('hash prints a hash that verifies the password', async () => {
    const [ours, bcrypt] = await Promise.all([run(['hash', 'tiny']), run(['hash', 'tiny', '--bcrypt'])])
    expect(ours.stdout).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$\S+\n$/)
    expect(bcrypt.stdout).toMatch(/^\$2b\$10\$\S{53}\n$/)
    expect(await verifyPassword('tiny', ours.stdout.trim())).toBe(true)
    expect(await verifyPassword('tiny', bcrypt.stdout.trim())).toBe(true)
    const [empty, long] = await Promise.all([run(['hash', '']), run(['hash', '--bcrypt', 'x'.repeat(73)])])
    expect(empty).toMatchObject({ code: 1, stderr: 'Error: password is empty\n' })
    expect(long).toMatchObject({ code: 1, stderr: 'Error: password is too long: bcrypt takes 72 bytes\n' })
  })

  test('version, help and mistyped commands', async () => {
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
    expect(help.stdout.trimEnd().split('\n').at(-1)).toContain('filestead users passwd')
    expect(deep.stdout).toStartWith('Usage: filestead users add [options] <name> [password]')
    expect(group.code).toBe(1)
    expect(group.stderr).toStartWith('Usage: filestead users')
    expect(command.stderr).toBe("Error: unknown command 'user' (Did you mean users?)\n")
    expect(option.stderr).toBe("Error: unknown option '--signpu' (Did you mean --signup?)\n")
  })

  test('an unexpected error shows its stack only with FILESTEAD_DEBUG', async () => {
    const place = await CliFolder.make()
    const db = await openDatabase(place.database)
    await db.updateTable('setting').set({ value: 'broken' }).where('name', '=', 'settings').execute()
    await db.destroy()
    expect(await place.refusal('config', 'cat')).toMatch(/^Error: JSON Parse error/)
    const asked = await place.run(['config', 'cat'], { env: { FILESTEAD_DEBUG: '1' } })
    expect(asked.stderr).toMatch(/\n {4}at .*readStored/)
  })

  test('a closed pipe ends the command without an error', async () => {
    const place = await CliFolder.make()
    const child = spawn(launcher, ['users', 'ls', '-d', place.database], {
      env: environmentWith(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect(code).toBe(0)
    expect(stderr).toBe(`No config file used\nUsing database: ${place.database}\n`)
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
