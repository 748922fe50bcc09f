import { afterAll, expect, test } from 'bun:test'
import { headOf, openLine } from './line.ts'
import { startServer } from './server.ts'

const server = await startServer({ disableExec: false })
await server.addUser('ann', { commands: ['seq'] })
const token = await server.signIn('ann')
afterAll(() => server.stop())

test('all that a command prints reaches a reader who does not keep up', async () => {
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
  // Long enough to print more than anybody would keep for a reader.
  await Bun.sleep(1000)
  line.socket.resume()

  const said = await line.received
  const numbers = said.toString('latin1').match(/\d+/g) ?? []
  expect(said.subarray(-20).toString('latin1')).toContain('exit status 0')
  expect(numbers.length).toBeGreaterThan(last)
  expect(numbers.at(-2)).toBe(String(last))
}, 30_000)
