import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { oldAdmin, oldKey, oldUser } from './file-browser-database.ts'
import { FileBrowserFolder } from './file-browser-folder.ts'
import { encodePart } from './jwt.ts'
import { askAt } from './process.ts'

setDefaultTimeout(120_000)

describe('tokens from before the takeover', () => {
  const hour = 3600
  const issued = Math.floor(Date.now() / 1000) - hour
  const tokenOf = (id: number, iat = issued, exp = issued + 24 * hour, key = oldKey) => {
    const text = `${encodePart({ alg: 'HS256', typ: 'JWT' })}.${encodePart({ user: { id }, iss: 'File Browser', exp, iat })}`
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  }
  const users = [oldAdmin, oldUser(2, 'two'), oldUser(3, 'three')]
  const asking = (url: string, token: string) => (path: string, init?: RequestInit) =>
    askAt(url, path, { ...init, headers: { 'x-auth': token } })

  test('are valid sessions until their own expiry, and end like any other', async () => {
    const place = new FileBrowserFolder({ users })
    const database = await place.database()
    await using server = await place.serve(['-d', database, '-r', place.root])
    const [one, other] = [tokenOf(2), tokenOf(2, issued - 1)].map((token) => asking(server.url, token))
    const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await one?.('/api/resources/'))?.status))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200])
    expect((await other?.('/api/resources/'))?.status).toBe(200)
    const sessions = (await (await one?.('/api/sessions'))?.json()) as { current: boolean; created: number }[]
    expect(sessions.map(({ created }) => created).sort()).toEqual([issued - 1, issued])

    expect((await one?.('/api/logout', { method: 'POST' }))?.status).toBe(200)
    expect((await one?.('/api/resources/'))?.status).toBe(401)
    expect((await other?.('/api/resources/'))?.status).toBe(200)
    // A renewed token belongs to the same session and is one of ours.
    const renewed = (await (await other?.('/api/renew', { method: 'POST' }))?.text()) ?? ''
    expect((await asking(server.url, renewed)('/api/sessions')).status).toBe(200)
  })

  test('that are expired, forged, issued later or of unknown users are refused', async () => {
    const place = new FileBrowserFolder({ users })
    const database = await place.database()
    await using server = await place.serve(['-d', database, '-r', place.root])
    const worthless = [
      tokenOf(2, issued, issued + 60),
      tokenOf(2, issued, issued + 24 * hour, Buffer.alloc(64, 'x')),
      tokenOf(2, issued + 2 * hour),
      tokenOf(99),
    ]
    for (const token of worthless) expect((await asking(server.url, token)('/api/resources/')).status).toBe(401)
  })

  test('end with a changed password, with the user, and with "end all others", even unused ones', async () => {
    const place = new FileBrowserFolder({ users })
    const database = await place.database()
    await using server = await place.serve(['-d', database, '-r', place.root])
    const statusOf = async (token: string) => (await asking(server.url, token)('/api/resources/')).status
    const seen = tokenOf(2)
    expect(await statusOf(seen)).toBe(200)
    const update = ['users', 'update', 'two', '-p', 'a password of their own', '-d', database]
    expect((await place.run(update)).code).toBe(0)
    expect([await statusOf(seen), await statusOf(tokenOf(2, issued - 7))]).toEqual([401, 401])

    expect(await statusOf(tokenOf(3))).toBe(200)
    expect((await place.run(['users', 'rm', 'three', '-d', database])).code).toBe(0)
    expect([await statusOf(tokenOf(3)), await statusOf(tokenOf(3, issued - 7))]).toEqual([401, 401])

    const boss = tokenOf(1)
    expect((await asking(server.url, boss)('/api/sessions', { method: 'DELETE' })).status).toBe(200)
    expect([await statusOf(boss), await statusOf(tokenOf(1, issued - 7))]).toEqual([200, 401])
  })
})
