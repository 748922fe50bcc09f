import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { verifyPassword } from '../src/users/passwords.ts'
import { CliFolder, password } from './cli-folder.ts'
import { launcher } from './process.ts'

setDefaultTimeout(60_000)

const phrase = 'three quiet herons'

/** A command with a text on its standard input. */
async function piped(place: CliFolder, words: string[], input: string) {
  const child = Bun.spawn([launcher, ...words], {
    cwd: place.folder,
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
    const place = new CliFolder()
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
    const place = new CliFolder()
    const refusal = async (words: string[], input: string) => (await piped(place, words, input)).stderr
    expect(await refusal(['users', 'passwd', 'boss', '-'], '\n')).toBe('Error: password is empty\n')
    expect(await refusal(['users', 'passwd', 'boss', '-'], 'one\ntwo\n')).toContain('more than one line')
    expect(await refusal(['users', 'passwd', 'boss'], phrase)).toBe(
      'Error: The password is missing: give it, or - for standard input\n',
    )
    expect(await refusal(['users', 'passwd', 'nobody', '-'], phrase)).toBe('Error: There is no user "nobody"\n')
    expect(await isPasswordOf(place, 'boss', password)).toBe(true)
  })
})

describe('at a terminal', () => {
  test('a password is asked for twice and not shown', async () => {
    const place = new CliFolder()
    const answer = `${phrase}x\u007f\r`
    const { code, screen } = await typed(place, ['users', 'passwd', 'boss'], {
      'Password: ': answer,
      'Again: ': answer,
    })
    expect([code, screen.includes(phrase)]).toEqual([0, false])
    expect(await isPasswordOf(place, 'boss', phrase)).toBe(true)
  })

  test('two different answers and Ctrl+C change nothing', async () => {
    const place = new CliFolder()
    const different = { 'Password: ': `${phrase}\r`, 'Again: ': `${phrase}!\r` }
    const first = await typed(place, ['users', 'passwd', 'boss'], different)
    expect([first.code, first.screen]).toEqual([1, expect.stringContaining('Error: The two passwords differ')])
    expect((await typed(place, ['users', 'passwd', 'boss'], { 'Password: ': '\u0003' })).code).toBe(1)
    expect(await isPasswordOf(place, 'boss', password)).toBe(true)
  })
})

describe('results for scripts', () => {
  test('--json prints users, settings, rules and hooks, without passwords and secrets', async () => {
    const place = new CliFolder()
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
    const place = new CliFolder()
    const loud = await place.run(['users', 'ls'])
    expect(loud.stderr).toContain('Using database: ')
    const quiet = await place.run(['users', 'ls', '--quiet'])
    expect([quiet.stderr, quiet.stdout]).toEqual(['', loud.stdout])
  })
})
