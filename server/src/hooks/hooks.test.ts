import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Settings, User } from '@filestead/contract'
import { hooksOf } from './hooks.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'filestead-hooks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const user = User.parse({ username: 'alice', scope: '/team' })
const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim()

function hooksWith(commands: Record<string, string[]>, more: object = {}) {
  const logged: unknown[] = []
  const note = (...entry: unknown[]) => void logged.push(entry)
  const settings = Settings.parse({ commands, ...more })
  const hooks = hooksOf({
    settings: async () => settings,
    log: { debug: note, info: note, warn: note, error: note },
    environment: { PATH: '/usr/bin:/bin' },
    timeLimit: 2000,
    allowShell: 'shell' in more,
  })
  return { hooks, logged }
}

const facts = { user, file: '/srv/team/a b.txt', destination: '/srv/team/c.txt' }

test('a hook gets the facts of the change in its environment', async () => {
  const { hooks } = hooksWith({
    after_rename: [`sh -c 'echo $TRIGGER $USERNAME $SCOPE $FILE $DESTINATION > ${folder}/out'`],
  })
  await hooks.after('rename', facts)
  expect(read('out')).toBe('after_rename alice /team /srv/team/a b.txt /srv/team/c.txt')
})

test('an argument that is exactly $NAME is replaced by the fact, whatever that contains', async () => {
  const odd = `${folder}/$(touch ${folder}/pwned);.txt`
  const { hooks } = hooksWith({
    before_upload: [`sh -c 'printf %s "$1" > ${folder}/out' x $FILE`, 'true "in $FILE text"'],
  })
  await hooks.before('upload', { ...facts, file: odd })
  expect(read('out')).toBe(odd)
  expect(existsSync(join(folder, 'pwned'))).toBe(false)
})

test('a change is refused when a hook before it fails', async () => {
  const { hooks } = hooksWith({ before_save: ['false'] })
  await expect(hooks.before('save', facts)).rejects.toMatchObject({ code: 'internal' })
})

test('a failing hook after the change is only logged', async () => {
  const { hooks, logged } = hooksWith({ after_save: ['false', 'never-reached'] })
  await hooks.after('save', facts)
  expect(logged).toHaveLength(1)
})

test('a hook that never ends is killed with its child processes', async () => {
  const { hooks } = hooksWith({ before_copy: [`sh -c 'sleep 30 & echo $! > ${folder}/pid; wait'`] })
  await expect(hooks.before('copy', facts)).rejects.toMatchObject({ code: 'internal' })
  await Bun.sleep(50)
  expect(existsSync(`/proc/${read('pid')}/fd/0`)).toBe(false)
})

test("a line that ends with '&' is not waited for", async () => {
  const { hooks } = hooksWith({ before_delete: [`sh -c 'sleep 0.3; echo late > ${folder}/out' &`] })
  await hooks.before('delete', facts)
  expect(existsSync(join(folder, 'out'))).toBe(false)
  await Bun.sleep(600)
  expect(read('out')).toBe('late')
})

test('the shell gets the line only where that is allowed, and file names only in the environment', async () => {
  const { hooks } = hooksWith({ after_upload: [`echo "$FILE" > ${folder}/out`] }, { shell: ['/bin/sh', '-c'] })
  await hooks.after('upload', { ...facts, file: `x;touch ${folder}/pwned;` })
  expect(read('out')).toBe(`x;touch ${folder}/pwned;`)
  expect(existsSync(join(folder, 'pwned'))).toBe(false)
})
