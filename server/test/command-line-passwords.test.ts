import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { verifyPassword } from '../src/users/passwords.ts'
import { CliFolder, password } from './cli-folder.ts'
import { environmentWith, launcher } from './process.ts'

setDefaultTimeout(120_000)

const phrase = 'three quiet herons'

/** A command with a text on its standard input. */
async function piped(place: CliFolder, words: string[], input: string | Uint8Array<ArrayBuffer>) {
  const child = Bun.spawn([launcher, ...words], {
    cwd: place.folder,
    env: environmentWith(place.env),
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, stdout, stderr }
}

/** A command at a terminal, with an answer for each of its questions. */
async function typed(place: CliFolder, words: string[], answers: Record<string, string>) {
  let screen = ''
  const child = Bun.spawn([launcher, ...words], {
    cwd: place.folder,
    env: environmentWith(place.env),
    terminal: {
      data(terminal, bytes) {
        screen += Buffer.from(bytes).toString()
        const question = Object.keys(answers).find((text) => screen.endsWith(text))
        if (question !== undefined) terminal.write(answers[question] ?? '')
      },
    },
  })
  return { code: await child.exited, screen }
}

const isPasswordOf = async (place: CliFolder, name: string, text: string) =>
  verifyPassword(text, (await place.account(name)).passwordHash)

describe('a password comes from standard input', () => {
  test('for users add, users update, users passwd and hash', async () => {
    const place = await CliFolder.make()
    expect((await piped(place, ['users', 'add', 'carl', '-'], `${phrase}\n`)).code).toBe(0)
    expect(await isPasswordOf(place, 'carl', phrase)).toBe(true)
    expect((await piped(place, ['users', 'update', 'carl', '-p', '-'], `${phrase} 2`)).code).toBe(0)
    expect(await isPasswordOf(place, 'carl', `${phrase} 2`)).toBe(true)
    expect(await piped(place, ['users', 'passwd', 'carl', '-', '-q'], `${phrase} 3\r\n`)).toEqual({
      code: 0,
      stdout: '"carl" has a new password, and has to sign in again\n',
      stderr: '',
    })
    expect(await isPasswordOf(place, 'carl', `${phrase} 3`)).toBe(true)
    const { stdout } = await piped(place, ['hash', '-'], `${phrase}\n`)
    expect(await verifyPassword(phrase, stdout.trim())).toBe(true)
  })

  test('and is refused when it is empty, has several lines, or is missing', async () => {
    const place = await CliFolder.make()
    const refusal = async (words: string[], input: string) => (await piped(place, words, input)).stderr
    expect(await refusal(['users', 'passwd', 'boss', '-'], '\n')).toBe('Error: password is empty\n')
    expect(await refusal(['users', 'passwd', 'boss', '-'], 'one\ntwo\n')).toContain('more than one line')
    expect(await refusal(['users', 'passwd', 'boss'], phrase)).toBe(
      'Error: The password is missing: give it, or - for standard input\n',
    )
    expect(await refusal(['users', 'passwd', 'nobody', '-'], phrase)).toBe('Error: There is no user "nobody"\n')
    expect(await isPasswordOf(place, 'boss', password)).toBe(true)
  })

  test('and is refused when nobody could sign in with it', async () => {
    const place = await CliFolder.make()
    const refusal = async (input: string | Uint8Array<ArrayBuffer>, ...words: string[]) =>
      (await piped(place, words, input)).stderr
    const passwd = ['users', 'passwd', 'boss', '-']
    expect(await refusal(`${phrase}\0`, ...passwd)).toContain('has a control character')
    expect(await refusal(new Uint8Array(Buffer.from(`${phrase}\xff`, 'latin1')), ...passwd)).toContain('is not UTF-8')
    expect(await refusal('a'.repeat(4097), ...passwd)).toBe('Error: password is too long, maximum length is 4096\n')
    expect(await refusal('a'.repeat(4097), 'hash', '-')).toContain('password is too long')
    expect(await refusal('a'.repeat(200_000), ...passwd)).toBe('Error: Standard input is too long for a password\n')
    expect(await isPasswordOf(place, 'boss', password)).toBe(true)
    const long = 'ä'.repeat(4096)
    expect(await refusal(long, ...passwd, '-q')).toBe('')
    expect(await isPasswordOf(place, 'boss', long)).toBe(true)
  })
})

describe('at a terminal', () => {
  test('both answers may be pasted at once', async () => {
    const place = await CliFolder.make()
    const pasted = { 'Password: ': `${phrase}\r\n${phrase}\r\n` }
    expect((await typed(place, ['users', 'passwd', 'boss'], pasted)).code).toBe(0)
    expect(await isPasswordOf(place, 'boss', phrase)).toBe(true)
  })

  test('Ctrl+U begins anew, and keys that send no text are left out', async () => {
    const place = await CliFolder.make()
    const answers = { 'Password: ': `wrong\u0015${phrase}\u001b[D\u001a\r`, 'Again: ': `${phrase}\r` }
    expect((await typed(place, ['users', 'passwd', 'boss'], answers)).code).toBe(0)
    expect(await isPasswordOf(place, 'boss', phrase)).toBe(true)
  })

  test('a password is asked for twice and not shown', async () => {
    const place = await CliFolder.make()
    const answer = `${phrase}x\u007f\r`
    const { code, screen } = await typed(place, ['users', 'passwd', 'boss'], {
      'Password: ': answer,
      'Again: ': answer,
    })
    expect([code, screen.includes(phrase)]).toEqual([0, false])
    expect(await isPasswordOf(place, 'boss', phrase)).toBe(true)
  })

  test('two different answers and Ctrl+C change nothing', async () => {
    const place = await CliFolder.make()
    const different = { 'Password: ': `${phrase}\r`, 'Again: ': `${phrase}!\r` }
    const first = await typed(place, ['users', 'passwd', 'boss'], different)
    expect([first.code, first.screen]).toEqual([1, expect.stringContaining('Error: The two passwords differ')])
    expect((await typed(place, ['users', 'passwd', 'boss'], { 'Password: ': '\u0003' })).code).toBe(1)
    expect(await isPasswordOf(place, 'boss', password)).toBe(true)
  })
})

describe('results for scripts', () => {
  test('--json prints users, settings, rules and hooks, without passwords and secrets', async () => {
    const place = await CliFolder.make()
    await place.ask('config', 'set', '--recaptcha.key', 'site', '--recaptcha.secret', 'hidden')
    await place.ask('rules', 'add', '/private')
    const result = async (...words: string[]) => JSON.parse(await place.ask(...words, '--json'))
    expect(await result('users', 'ls')).toEqual([expect.objectContaining({ id: 1, username: 'boss' })])
    const boss = await result('users', 'find', 'boss')
    expect([boss.username, boss.password, boss.perm.admin]).toEqual(['boss', undefined, true])
    const { settings, auth, server } = await result('config', 'cat')
    expect([settings.branding.name, auth.recaptcha, server]).toEqual([
      'Filestead',
      { host: 'https://www.google.com', key: 'site' },
      {},
    ])
    expect(await result('rules', 'ls')).toEqual([expect.objectContaining({ path: '/private', allow: false })])
    expect(Object.keys(await result('cmds', 'ls'))).toContain('after_upload')
  })

  test('--quiet leaves out what is said beside the result', async () => {
    const place = await CliFolder.make()
    const loud = await place.run(['users', 'ls'])
    expect(loud.stderr).toContain('Using database: ')
    const quiet = await place.run(['users', 'ls', '--quiet'])
    expect([quiet.stderr, quiet.stdout]).toEqual(['', loud.stdout])
  })

  test('a terminal gets no control characters, neither in tables and JSON nor in notes and errors', async () => {
    const place = await CliFolder.make()
    const name = 'x\u001b]0;title\u0007\u009b31m\u202e👩‍💻'
    await place.ask('users', 'add', name, phrase)
    const runs = [
      await place.run(['users', 'ls']),
      await place.run(['users', 'ls', '--json']),
      await place.run([name]),
      await place.run(['config', 'init', '-d', join(place.folder, `${name}.db`)]),
      await place.run(['users', 'rm', name]),
    ]
    for (const { stdout, stderr } of runs) expect(`${stdout}${stderr}`).not.toMatch(/[^\P{C}\n]/u)
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 1, 0, 0])
    expect(JSON.parse(runs[1]?.stdout ?? '')[1].username).toBe(name)
  })
})
