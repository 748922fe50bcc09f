import { afterAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Pool } from 'pg'
import { startPostgres } from '../../../test/postgres.ts'
import { until } from '../../../test/process.ts'
import { doorbellOver } from './doorbell.ts'
import { settingsFor } from './settings.ts'

const postgres = await startPostgres()
afterAll(() => postgres?.end())

/**
 * Passes everything on to the server, until the server's side of all connections is cut, or what is sent is swallowed: the
 * other side is told nothing.
 */
async function lineTo(address: string) {
  const { hostname, port } = new URL(address)
  const [before, behind] = [new Set<Socket>(), new Set<Socket>()]
  let opened = 0
  let swallows = (_sent: string | Buffer) => false
  const server = createServer((front) => {
    opened += 1
    const back = connect(Number(port), hostname)
    before.add(front)
    behind.add(back)
    front.on('data', (bytes) => void (back.destroyed || swallows(bytes) || back.write(bytes)))
    back.on('data', (bytes) => void front.write(bytes))
    for (const side of [front, back]) side.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(address)
  url.port = String((server.address() as AddressInfo).port)
  return {
    address: url.href,
    opened: () => opened,
    cut() {
      for (const back of behind) back.destroy()
      behind.clear()
    },
    end() {
      for (const front of before) front.destroy()
      before.clear()
    },
    swallow(what: typeof swallows) {
      swallows = what
    },
    [Symbol.dispose]: () => void server.close(),
  }
}

describe.skipIf(postgres === undefined)('the connection that holds the lock of a node', () => {
  test('is opened again when the server has lost it and this side was not told', async () => {
    const address = (await postgres?.make('half_dead')) ?? ''
    using line = await lineTo(address)
    const pool = new Pool(settingsFor(address))
    const [one, two] = [doorbellOver(pool, settingsFor(line.address)), doorbellOver(pool, settingsFor(address))]
    try {
      let heard = 0
      one.onRing(() => {
        heard += 1
      })
      one.presence.hold('one')
      two.presence.hold('two')
      await until(async () => (await two.presence.absent(['one', 'other'])).join() === 'other')
      await until(() => one.presence.isHeld === true)
      line.cut()
      await until(async () => (await two.presence.absent(['one'])).join() === 'one')
      // As it does every other second, for the sake of others.
      await one.presence.absent(['two'])
      expect(one.presence.isHeld).toBe(false)
      const before = heard
      await until(async () => (await two.presence.absent(['one'])).length === 0)
      await until(() => one.presence.isHeld === true && heard > before)
      expect(line.opened()).toBe(2)
      // One that is all right stays as it is.
      expect(await one.presence.absent(['two'])).toEqual([])
      expect([one.presence.isHeld, line.opened()]).toEqual([true, 2])
    } finally {
      await Promise.all([one.close(), two.close()])
      await pool.end()
    }
  })

  test('is in doubt while the server answers nothing, and is opened again until its first words are answered', async () => {
    const address = (await postgres?.make('silent')) ?? ''
    using line = await lineTo(address)
    const pool = new Pool(settingsFor(line.address))
    pool.on('error', () => {})
    const one = doorbellOver(pool, settingsFor(line.address))
    try {
      one.presence.hold('one')
      await until(() => one.presence.isHeld === true)
      expect(await one.presence.absent(['two'])).toEqual(['two'])
      line.swallow(() => true)
      // As it does every other second; the driver waits for long.
      const asking = one.presence.absent(['two']).catch(String)
      await until(() => one.presence.isHeld === false)
      // A server that lets connections in, and does nothing else.
      line.swallow((sent) => sent.includes('listen'))
      const opened = line.opened()
      line.end()
      expect(await asking).toContain('does not answer')
      await until(() => line.opened() >= opened + 2)
      expect(one.presence.isHeld).toBe(false)
      line.swallow(() => false)
      await until(() => one.presence.isHeld === true)
    } finally {
      await one.close()
      await pool.end()
    }
  })
})
