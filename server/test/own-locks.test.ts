import { expect, setDefaultTimeout, test } from 'bun:test'
import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { run, startProgram } from './process.ts'

setDefaultTimeout(120_000)

// Locks belong to a process, and closing any descriptor of a file drops all that it holds on it. A server whose database
// lies in the served folder must therefore never open it, not even to find out that it is its own.
test('requests for a database among the served files do not release the lock of the server on it', async () => {
  await using program = await startProgram({ database: 'root/filestead.db' })
  mkdirSync(join(program.root, 'sub'))
  linkSync(program.database, join(program.root, 'sub/hard.db'))
  symlinkSync('filestead.db', join(program.root, 'soft.db'))
  const { ino } = statSync(program.database)
  const isHeld = () =>
    readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes(` ${program.pid} `) && line.includes(`:${ino} `))
  expect(isHeld()).toBe(true)

  const names = ['filestead.db', 'sub/hard.db', 'soft.db', 'filestead.db-wal', 'filestead.db-shm']
  const doors = ['raw/%', 'resources/%', 'resources/%?checksum=md5', 'preview/thumb/%', 'preview/big/%', 'subtitle/%']
  for (const path of [
    'raw/?algo=tar',
    'raw/?algo=zip',
    ...names.flatMap((name) => doors.map((door) => door.replace('%', name))),
  ]) {
    const answer = await program.ask(`/api/${path}`)
    await answer.arrayBuffer()
    expect([path, isHeld()]).toEqual([path, true])
  }
  const changes: [string, string][] = names.flatMap((name) => [
    ['PATCH', `${name}?action=copy&destination=%2Fcopy.db`],
    ['PATCH', `${name}?action=rename&destination=%2Fmoved.db`],
    ['PUT', name],
    ['POST', `${name}?override=true`],
    ['DELETE', name.replace('soft.db', 'sub')],
  ])
  for (const [method, path] of changes) {
    const answer = await program.ask(`/api/resources/${path}`, { method, ...(method[0] === 'P' && { body: 'x' }) })
    await answer.arrayBuffer()
    expect([method, path, isHeld()]).toEqual([method, path, true])
  }
  // A command that believed itself alone would remove the log when it ends.
  expect((await run(['users', 'ls', '-d', program.database])).code).toBe(0)
  expect(statSync(`${program.database}-wal`).size).toBeGreaterThan(0)
})
