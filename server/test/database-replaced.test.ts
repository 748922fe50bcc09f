import { Database as Sqlite } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs'
import { admin, type Program, signIn, startProgram, until } from './process.ts'

setDefaultTimeout(120_000)

/** Copies of the database as it was, and of what has been changed since, which is only in the log. */
async function copied(program: Program): Promise<string> {
  const copy = `${program.database}.copy`
  const sqlite = new Sqlite(program.database)
  sqlite.run('vacuum into ?', [copy])
  sqlite.close()
  return copy
}

const addUser = (program: Program, username: string) =>
  program.ask('/api/users', {
    method: 'POST',
    body: JSON.stringify({
      what: 'user',
      which: [],
      current_password: admin.password,
      data: { username, password: 'another horse battery', scope: '/', perm: {} },
    }),
  })

const namesIn = (file: string): string[] => {
  const sqlite = new Sqlite(file, { readonly: true })
  try {
    expect(sqlite.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    return sqlite
      .query<{ username: string }, []>('select username from user order by id')
      .all()
      .map((row) => row.username)
  } finally {
    sqlite.close()
  }
}

/** The server keeps the result of its check for a second. */
async function healthOnce(program: Program, status: number): Promise<unknown> {
  for (let tries = 0; tries < 200; tries += 1) {
    const response = await fetch(`${program.url}/health`)
    const body = await response.json()
    if (response.status === status) return body
    await Bun.sleep(50)
  }
  throw new Error(`/health never answered ${status}`)
}

test('a replaced database refuses changes, and the new file stays unchanged', async () => {
  await using program = await startProgram()
  const copy = await copied(program)
  for (const name of ['one', 'two', 'three']) expect((await addUser(program, name)).status).toBe(201)
  renameSync(copy, program.database)

  expect((await addUser(program, 'four')).status).toBe(503)
  // Its draft could not be noted. A small file needs no draft, and comes whole as ever.
  const large = 'large'.repeat(50_000)
  expect((await program.ask('/api/resources/large.txt', { method: 'POST', body: large })).status).toBe(503)
  expect((await program.ask('/api/resources/new.txt', { method: 'POST', body: 'new' })).status).toBe(200)
  expect(readFileSync(`${program.root}/new.txt`, 'utf8')).toBe('new')
  expect((await program.ask('/api/share/', { method: 'POST', body: '{}' })).status).toBe(503)
  expect((await program.ask('/api/resources/')).status).toBe(200)
  expect(await healthOnce(program, 503)).toEqual({
    status: 'Unavailable',
    reason: 'The file of the database has been removed or replaced',
  })
  expect(namesIn(program.database)).toEqual([admin.username])

  await program.terminate()
  await program.start()
  expect(namesIn(program.database)).toEqual([admin.username])
  program.token = await signIn(program.url, admin)
  expect((await addUser(program, 'four')).status).toBe(201)
})

test('a shared file is not removed while its share cannot be ended because the database was replaced', async () => {
  await using program = await startProgram()
  for (const name of ['shared.txt', 'other.txt'])
    expect((await program.ask(`/api/resources/${name}`, { method: 'POST', body: name })).status).toBe(200)
  const made = await program.ask('/api/share/shared.txt', { method: 'POST', body: '{}' })
  const { hash } = (await made.json()) as { hash: string }
  renameSync(await copied(program), program.database)

  expect((await program.ask('/api/resources/shared.txt', { method: 'DELETE' })).status).toBe(503)
  expect(readFileSync(`${program.root}/shared.txt`, 'utf8')).toBe('shared.txt')
  expect((await program.ask('/api/resources/other.txt', { method: 'DELETE' })).status).toBe(204)
  expect(await (await fetch(`${program.url}/api/public/dl/${hash}`)).text()).toBe('shared.txt')
})

test.each([
  ['stopped', 'terminate'],
  ['killed', 'kill'],
] as const)('a server that is %s after its database was replaced leaves the new database intact', async (_how, end) => {
  await using program = await startProgram()
  const copy = await copied(program)
  for (const name of ['one', 'two', 'three']) expect((await addUser(program, name)).status).toBe(201)
  renameSync(copy, program.database)
  // The server notices by itself; one that is killed before leaves its files.
  if (end === 'kill') await until(() => !existsSync(`${program.database}-wal`))
  await program[end]()
  expect(existsSync(`${program.database}-wal`)).toBe(false)
  await program.start()
  expect(namesIn(program.database)).toEqual([admin.username])
  program.token = await signIn(program.url, admin)
  expect((await addUser(program, 'four')).status).toBe(201)
})

test('a moved database has its whole write-ahead log in its file', async () => {
  await using program = await startProgram()
  const [copy, away] = [await copied(program), `${program.database}.away`]
  expect((await addUser(program, 'one')).status).toBe(201)
  renameSync(program.database, away)
  expect((await addUser(program, 'two')).status).toBe(503)
  await program.terminate()
  expect(namesIn(away)).toEqual([admin.username, 'one'])
  copyFileSync(copy, program.database)
  await program.start()
  expect(namesIn(program.database)).toEqual([admin.username])
})

test('a database overwritten while the server runs keeps the new content', async () => {
  await using program = await startProgram()
  const copy = await copied(program)
  for (const name of ['one', 'two', 'three']) expect((await addUser(program, name)).status).toBe(201)
  copyFileSync(copy, program.database)
  await healthOnce(program, 503)
  await program.terminate()
  expect(readFileSync(program.database).equals(readFileSync(copy))).toBe(true)
  await program.start()
  expect(namesIn(program.database)).toEqual([admin.username])
})
