import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { jsonIn } from './answers.ts'
import { draftsBelow } from './disk.ts'
import { openEvents } from './event-stream.ts'
import { jobsOf } from './jobs.ts'
import { headOf, openLine } from './line.ts'
import { type Cluster, healthOf, obstacle, type ServingNode, signInAt, startCluster } from './nodes.ts'
import { admin, askAs, askAt, run, signIn, until } from './process.ts'
import { operationsOf } from './random-changes.ts'
import { pieceType, tusOf } from './tus.ts'

setDefaultTimeout(120_000)

describe.if(obstacle === '')(`Two servers on one PostgreSQL behind nginx${obstacle}`, () => {
  let cluster: Cluster
  let [one, two]: ServingNode[] = []
  const at = (name: string) => join(cluster.root, name)
  beforeAll(async () => {
    cluster = await startCluster(2)
    ;[one, two] = cluster.nodes
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  const both = (): [ServingNode, ServingNode] => {
    if (one === undefined || two === undefined) throw new Error('There are two')
    return [one, two]
  }

  test('each has a row with its version, and requests go to both', async () => {
    const rows = await cluster.rows<{ id: string; version: string; lease: string }>('select * from node')
    expect(rows.map(({ lease }) => lease)).toEqual(['beats', 'beats'])
    expect(rows.every(({ version }) => version !== '')).toBe(true)
    const answers = await Promise.all(Array.from({ length: 8 }, () => cluster.ask('/api/resources/')))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const uses = both().map((node) => node.log().includes('"event":"sign-in"'))
    expect(uses.filter(Boolean)).toHaveLength(1)
  })

  test('the doctor names both', async () => {
    const { stdout } = await run(['doctor', '-d', cluster.address, '-r', cluster.root, '--json'])
    const { findings } = JSON.parse(stdout) as { findings: { about: string; state: string; text: string }[] }
    expect(findings.filter(({ about }) => about === 'Servers')).toEqual([
      { about: 'Servers', state: 'good', text: expect.stringMatching(/^2 at work: .+ \(.+\), .+ \(.+\)$/) },
    ])
  })

  test('a session that ends on one is refused by the other at once', async () => {
    const [first, second] = both()
    for (let round = 0; round < 5; round += 1) {
      const token = await signInAt(first)
      expect((await askAs(second.url, token)('/api/resources/')).status).toBe(200)
      expect((await askAs(first.url, token)('/api/logout', { method: 'POST' })).status).toBeLessThan(300)
      expect((await askAs(second.url, token)('/api/resources/')).status).toBe(401)
    }
  })

  test('settings and rights that change on one count for the next request to the other', async () => {
    const [first, second] = both()
    const settings = await jsonIn<{ branding: { name: string } }>(first.ask('/api/settings'))
    for (const name of ['One', 'Two', 'Three']) {
      const body = JSON.stringify({ ...settings, branding: { ...settings.branding, name } })
      expect((await first.ask('/api/settings', { method: 'PUT', body })).status).toBe(200)
      expect((await jsonIn<typeof settings>(second.ask('/api/settings'))).branding.name).toBe(name)
    }
    const data = {
      username: 'ann',
      password: 'a long password of ann',
      scope: '/',
      perm: { create: true, download: true },
    }
    const made = await first.ask('/api/users', {
      method: 'POST',
      body: JSON.stringify({ what: 'user', which: [], current_password: admin.password, data }),
    })
    expect(made.status).toBe(201)
    const ann = askAs(second.url, await signIn(second.url, data))
    const save = () => ann('/api/resources/ann.txt?override=true', { method: 'POST', body: 'ann' })
    expect((await save()).status).toBe(200)
    const id = made.headers.get('location')?.split('/').pop()
    const edit = { ...(await jsonIn<object>(first.ask(`/api/users/${id}`))), perm: { download: true } }
    const edited = await first.ask(`/api/users/${id}`, {
      method: 'PUT',
      body: JSON.stringify({ what: 'user', which: ['perm'], current_password: admin.password, data: edit }),
    })
    expect(edited.status).toBe(200)
    expect((await save()).status).toBe(403)
  })

  test('what was taken back on one is listed, and redone, on the other', async () => {
    const [first, second] = both()
    writeFileSync(at('before.txt'), 'x')
    const rename = '/api/resources/before.txt?action=rename&destination=/after.txt'
    expect((await first.ask(rename, { method: 'PATCH' })).status).toBe(200)
    for (const [node, name] of [
      [second, 'before.txt'],
      [first, 'after.txt'],
    ] as const) {
      const [latest] = await operationsOf(node.ask)
      expect(latest).toMatchObject({ canUndo: true })
      expect(await jobsOf(node.ask).run({ kind: 'undo', operation: latest?.id })).toMatchObject({ state: 'done' })
      expect(readFileSync(at(name), 'utf8')).toBe('x')
    }
    expect(await operationsOf(second.ask)).not.toEqual([])
    // What is noted while it goes on never comes after its end.
    for (let round = 0; round < 10; round += 1) {
      expect((await first.ask('/api/resources/after.txt', { method: 'PUT', body: `${round}` })).status).toBe(200)
      expect((await operationsOf(second.ask))[0]).toMatchObject({ kind: 'save', canUndo: true })
    }
  })

  test('wrong passwords are counted together', async () => {
    const [first, second] = both()
    const guess = (node: ServingNode) =>
      askAt(node.url, '/api/login', {
        method: 'POST',
        body: JSON.stringify({ username: 'nobody', password: 'wrong' }),
        headers: { 'x-forwarded-for': '203.0.113.9' },
      })
    const statuses: number[] = []
    for (let tries = 0; tries < 40 && !statuses.includes(429); tries += 1)
      statuses.push((await guess(tries % 2 === 0 ? first : second)).status)
    expect(statuses.at(-1)).toBe(429)
    expect([(await guess(first)).status, (await guess(second)).status]).toEqual([429, 429])
  })

  test('pieces of an upload go to either, and its end is known to both', async () => {
    const [first, second] = both()
    const content = randomBytes(3_000_000)
    const tus = tusOf(cluster.ask)
    expect((await tus.create('/pieces.bin', content.length)).status).toBe(201)
    for (let offset = 0; offset < content.length; offset += 500_000)
      expect((await tus.append('/pieces.bin', offset, content.subarray(offset, offset + 500_000))).status).toBe(204)
    expect(readFileSync(at('pieces.bin')).equals(content)).toBe(true)
    // A client whose connection broke before the last answer asks whichever server.
    for (const node of [first, second]) expect(await tusOf(node.ask).offset('/pieces.bin')).toBe(content.length)
    expect(draftsBelow(cluster.root)).toEqual([])
  })

  test('two servers never write to one upload', async () => {
    const [first, second] = both()
    const content = randomBytes(4_000_000)
    expect((await tusOf(first.ask).create('/once.bin', content.length)).status).toBe(201)
    const line = await openLine(first.url)
    const headers = { 'x-auth': cluster.token, 'upload-offset': 0, 'content-type': pieceType }
    await line.send(headOf('PATCH', '/api/tus/once.bin', { ...headers, 'content-length': content.length }))
    await line.send(content.subarray(0, 2_000_000))
    // Before that the first server may not have the draft yet, and the other one could write all of it.
    await until(() => draftsBelow(cluster.root).some((path) => statSync(at(path)).size > 0))
    await until(async () => (await tusOf(second.ask).append('/once.bin', 0, content)).status === 423)
    await line.send(content.subarray(2_000_000))
    expect(await line.status).toBe(204)
    line.close()
    expect(readFileSync(at('once.bin')).equals(content)).toBe(true)
  })

  test('of many saves of one version exactly one wins', async () => {
    await cluster.ask('/api/resources/race.txt?override=true', { method: 'POST', body: 'begin' })
    const wins: number[] = []
    for (let round = 0; round < 25; round += 1) {
      const etag = (await cluster.ask('/api/resources/race.txt')).headers.get('etag') ?? ''
      const saves = Array.from({ length: 8 }, (_, writer) =>
        both()[writer % 2 === 0 ? 0 : 1].ask('/api/resources/race.txt', {
          method: 'PUT',
          body: `round ${round} writer ${writer}`,
          headers: { 'if-match': etag },
        }),
      )
      const statuses = (await Promise.all(saves)).map(({ status }) => status)
      wins.push(statuses.filter((status) => status === 200).length)
      expect(statuses.filter((status) => status !== 200 && status !== 412)).toEqual([])
    }
    expect(wins).toEqual(Array(25).fill(1))
  })

  test('a change on one shows to a client of the other, and another server resets a stream that broke', async () => {
    const [first, second] = both()
    await using stream = await openEvents(second.ask, '?folder=/')
    await stream.until('hello')
    await first.ask('/api/resources/told.txt', { method: 'POST', body: 'x' })
    await stream.until('folder', ({ put }) => put.some(({ name }) => name === 'told.txt'))
    await first.ask('/api/share/told.txt', { method: 'POST', body: '{}' })
    await stream.until('notice', ({ topic }) => topic === 'shares')
    await using again = await openEvents(first.ask, '?folder=/', { headers: { 'last-event-id': stream.lastId } })
    await again.until('reset')
  })

  test('a node that is stopped leaves at once', async () => {
    const third = await cluster.start()
    expect(await cluster.rows('select id from node')).toHaveLength(3)
    expect(await healthOf(third)).toBe(200)
    await third.terminate()
    expect(await cluster.rows('select id from node')).toHaveLength(2)
  })

  test('a version that would change the tables under running servers does not start, and names them', async () => {
    const last = '0067_departures'
    await cluster.rows(`delete from kysely_migration where name = '${last}'`)
    try {
      const refusal = await cluster.start().catch(String)
      expect(refusal).toContain('Stop these first:')
      expect(refusal).toContain(hostname())
      expect(await healthOf(both()[0])).toBe(200)
    } finally {
      await cluster.rows(`insert into kysely_migration (name, timestamp) values ('${last}', '2026-01-01')`)
    }
  })

  test('a request that needs no other server writes no message', async () => {
    const count = async () =>
      (await cluster.rows<{ value: string }>("select value from counter where name = 'message'"))[0]
    writeFileSync(at('quiet.txt'), 'quiet')
    const before = await count()
    for (let round = 0; round < 4; round += 1)
      for (const path of ['/api/resources/', '/api/raw/quiet.txt', '/api/users', '/api/settings'])
        expect((await cluster.ask(path)).status).toBe(200)
    expect(await count()).toEqual(before)
  })
})
