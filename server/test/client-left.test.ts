import { expect, test } from 'bun:test'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { admin, askAs, initialise, serve, signIn } from './process.ts'

const folder = scratchFolder('client-left')

test('a client that leaves before it is answered is logged as that, and counts as no error of the server', async () => {
  const large = join(folder, 'large.bin')
  writeFileSync(large, '')
  // Of holes, and so long that the sum over it never ends before its client has left.
  truncateSync(large, 1024 ** 4)
  const database = join(folder, '.filestead.db')
  await initialise(database)
  const metrics = `127.0.0.1:${await freePort()}`
  await using running = await serve(['-d', database, '-r', folder, '--metrics', metrics])
  const ask = askAs(running.url, await signIn(running.url, admin))
  const hasLeft = () => running.stdout().includes('"msg":"The client left"')
  while (!hasLeft()) {
    const leaving = new AbortController()
    const answer = ask('/api/resources/large.bin?checksum=sha256', { signal: leaving.signal })
    setTimeout(() => leaving.abort(), 300)
    await answer.catch(() => {})
    await Bun.sleep(200)
  }
  const line =
    running
      .stdout()
      .split('\n')
      .find((text) => text.includes('The client left')) ?? ''
  expect(JSON.parse(line)).toMatchObject({ level: 'info', status: 499, path: '/api/resources/large.bin' })
  const numbers = await (await fetch(`http://${metrics}/metrics`)).text()
  expect(numbers).toMatch(/^filestead_requests_total\{.*status="499".*\} [1-9]/m)
  expect(numbers).not.toMatch(/status="5\d\d"/)
})
