import { afterAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { headOf, openLine } from './line.ts'
import { password, startServer } from './server.ts'

const server = await startServer({ disableExec: false })
await server.addUser('ann', { commands: ['seq'] })
await server.addUser('root', { isAdmin: true })
const token = await server.signIn('ann')
const root = await server.as('root')
afterAll(() => server.stop())

test('a slow reader receives the whole output of a command', async () => {
  const last = 3_000_000
  const line = await openLine(server.url)
  const upgrade = {
    cookie: `auth=${token}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': 13,
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
  }
  await line.send(headOf('GET', '/api/command/', upgrade))
  expect(await line.status).toBe(101)

  line.socket.pause()
  const command = Buffer.from(`seq ${last}`)
  await line.send(Buffer.concat([Buffer.from([0x81, 0x80 | command.length, 0, 0, 0, 0]), command]))
  // Long enough to print more than a server would buffer for a reader.
  await Bun.sleep(1000)
  line.socket.resume()

  const said = await line.received
  const numbers = said.toString('latin1').match(/\d+/g) ?? []
  expect(said.subarray(-20).toString('latin1')).toContain('exit status 0')
  expect(numbers.length).toBeGreaterThan(last)
  expect(numbers.at(-2)).toBe(String(last))
}, 120_000)

/** A socket in the root folder; `lines` is what was said until it closed. */
async function openShell(username: string, at = server) {
  const token = await at.signIn(username)
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/api/command/`, { headers: { cookie: `auth=${token}` } })
  const lines: string[] = []
  socket.onmessage = ({ data }) => lines.push(String(data))
  const closed = new Promise<string[]>((resolve) => {
    socket.onclose = () => resolve(lines)
  })
  const opened = await new Promise<boolean>((resolve) => {
    socket.onopen = () => resolve(true)
    socket.onerror = () => resolve(false)
  })
  return { opened, token, closed, send: (line: string) => socket.send(line), close: () => socket.close() }
}

const idOf = async (username: string) => {
  const users = (await (await root('/api/users')).json()) as { id: number; username: string }[]
  return users.find((user) => user.username === username)?.id
}

const change = (id: number | undefined, which: string[], data: object) =>
  root(`/api/users/${id}`, {
    method: 'PUT',
    body: JSON.stringify({ what: 'user', which, data: { id, ...data }, current_password: password }),
  })

test.each([
  [
    'signing out',
    async ({ token }: { token: string }) => {
      const out = await server.ask('/api/logout', { method: 'POST', headers: { 'x-auth': token } })
      expect(out.status).toBe(200)
    },
  ],
  [
    'the command was taken away',
    async () => {
      expect((await change(await idOf('leaver'), ['commands'], { commands: [] })).status).toBe(200)
    },
  ],
  [
    'the account was deleted',
    async () => {
      const body = JSON.stringify({ current_password: password })
      expect((await root(`/api/users/${await idOf('leaver')}`, { method: 'DELETE', body })).status).toBe(200)
    },
  ],
])('an open command socket runs nothing after %s', async (_, revoke) => {
  if ((await idOf('leaver')) === undefined) await server.addUser('leaver', { commands: ['touch'] })
  else await change(await idOf('leaver'), ['commands'], { commands: ['touch'] })
  const shell = await openShell('leaver')
  await revoke(shell)
  shell.send('touch made.txt')
  await shell.closed
  expect(existsSync(join(server.root, 'made.txt'))).toBe(false)
})

test('a running command ends soon after its user signs out', async () => {
  await server.addUser('runner', { commands: ['tail'] })
  server.put({ 'log.txt': 'first line\n' })
  const shell = await openShell('runner')
  shell.send('tail -n 1 -f log.txt')
  await server.ask('/api/logout', { method: 'POST', headers: { 'x-auth': shell.token } })
  const lines = await shell.closed
  expect(lines.length).toBeLessThan(2)
}, 120_000)

test('a command socket is refused without the permission to execute', async () => {
  await server.addUser('reader', { commands: ['touch'], lacks: ['execute'] })
  expect((await openShell('reader')).opened).toBe(false)
})

test('a user has a limited number of open command sockets', async () => {
  await server.addUser('hoarder', { commands: ['touch'] })
  const shells = await Promise.all(Array.from({ length: 25 }, () => openShell('hoarder')))
  expect(shells.filter(({ opened }) => opened)).toHaveLength(20)
  for (const shell of shells) shell.close()
  await Promise.all(shells.filter(({ opened }) => opened).map(({ closed }) => closed))
  expect((await openShell('hoarder')).opened).toBe(true)
})

test('a command gets no options of the server and no secrets of its environment', async () => {
  process.env.FILESTEAD_PASSWORD = 'option of the server'
  process.env.CLOUD_TOKEN = 'secret of the container'
  const other = await startServer({ disableExec: false })
  delete process.env.FILESTEAD_PASSWORD
  delete process.env.CLOUD_TOKEN
  await other.addUser('curious', { commands: ['env'] })
  const shell = await openShell('curious', other)
  shell.send('env')
  const lines = await shell.closed
  await other.stop()
  expect(lines.join('\n')).toContain('PATH=')
  expect(lines.filter((line) => /FILESTEAD_|TOKEN/.test(line))).toEqual([])
})
