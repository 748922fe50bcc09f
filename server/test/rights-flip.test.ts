import { afterAll, beforeEach, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Grant, Mount, Right } from '@filestead/contract'
import { touchAccess } from '../src/database/counters.ts'
import { durableTransaction } from '../src/database/port.ts'
import { insertMount } from '../src/mounts/store.ts'
import { jsonIn, statusOf } from './answers.ts'
import { snapshot } from './disk.ts'
import type { Ask } from './server.ts'
import { tusOf } from './tus.ts'
import { startTwoMounts } from './two-mounts.ts'

/**
 * Rights are taken away while requests of every kind run. A request that begins after the change was acknowledged gets
 * nothing; one that ran already may end either way; none breaks.
 */
const world = await startTwoMounts()
const { server, admin, folder } = world
afterAll(() => server.stop())
await server.addUser('eve', { scope: '/users/eve' })
const eve = await server.as('eve')
const everything: Right[] = ['see', 'download', 'create', 'change', 'delete', 'share']
const files = 300

const json = (body: unknown) => JSON.stringify(body)
const send = (method: string, address: string, body?: unknown) =>
  statusOf(admin(address, { method, body: body === undefined ? null : json(body) }))

beforeEach(async () => {
  for (const place of [server.root, folder])
    for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true })
  server.put({ 'users/eve/own.txt': 'own' })
  world.put(
    Object.fromEntries(
      Array.from({ length: files }, (_, number) => [
        `family/part-${number % 10}/CANARY-${number}.txt`,
        `text ${number}`,
      ]),
    ),
  )
  world.put({ 'family/words.srt': '1\n00:00:01,000 --> 00:00:02,000\nCANARY\n' })
  for (const grant of await jsonIn<Grant[]>(admin('/api/grants'))) await world.revoke(grant)
})

const photosId = async () =>
  (await jsonIn<Mount[]>(admin('/api/mounts'))).find(({ name }) => name === 'Photos')?.id ?? (await addPhotos())

async function addPhotos(): Promise<number> {
  const { db, mounts } = server.app.deps
  const id = await durableTransaction(db, 'serializable', async (trx) => {
    await touchAccess(trx)
    return insertMount(trx, { name: 'Photos', folder, links: 'inside', readOnly: false, source: 'stored' })
  })
  await mounts.all()
  return id
}

let number = 0
/** Requests that need rights in Photos: what each is called, and how it is sent. */
const readings: Record<string, (ask: Ask) => Promise<Response>> = {
  listing: (ask) => ask('/api/resources/Photos/family/part-1'),
  facts: (ask) => ask('/api/resources/Photos/family/part-1/CANARY-1.txt'),
  flat: (ask) => ask('/api/resources/Photos/family?recursive=true'),
  search: (ask) => ask('/api/search/Photos/family?query=canary'),
  raw: (ask) => ask('/api/raw/Photos/family/part-1/CANARY-1.txt'),
  archive: (ask) => ask('/api/raw/Photos/family?algo=tar'),
  checksum: (ask) => ask('/api/resources/Photos/family/part-1/CANARY-1.txt?checksum=md5'),
  subtitle: (ask) => ask('/api/subtitle/Photos/family/words.srt'),
  size: (ask) => ask('/api/folder-size/Photos/family'),
  folders: (ask) => ask('/api/folders/Photos/family'),
  entries: (ask) =>
    ask('/api/entries/Photos/family/part-1', { method: 'POST', body: json({ names: ['CANARY-1.txt'] }) }),
}

const changes: Record<string, (ask: Ask) => Promise<Response>> = {
  save: (ask) => ask('/api/resources/Photos/family/part-1/CANARY-1.txt', { method: 'PUT', body: 'saved' }),
  create: (ask) => ask(`/api/resources/Photos/family/new-${number++}.txt`, { method: 'POST', body: 'x' }),
  folder: (ask) => ask(`/api/resources/Photos/family/new-${number++}/`, { method: 'POST' }),
  tus: (ask) => tusOf(ask).create(`/Photos/family/new-${number++}.txt`, 4),
  copy: (ask) =>
    ask(`/api/resources/Photos/family/part-2?action=copy&destination=/Photos/family/new-${number++}`, {
      method: 'PATCH',
    }),
  away: (ask) =>
    ask(`/api/resources/Photos/family/part-3?action=copy&destination=/Home/new-${number++}`, { method: 'PATCH' }),
  arrive: (ask) =>
    ask(`/api/resources/Home/own.txt?action=copy&destination=/Photos/family/new-${number++}.txt`, { method: 'PATCH' }),
  rename: (ask) => {
    const count = number++
    const to = `/Photos/family/moved-${count}`
    return ask(`/api/resources/Photos/family/part-${4 + (count % 6)}?action=rename&destination=${to}`, {
      method: 'PATCH',
    })
  },
  link: (ask) => ask('/api/share/Photos/family', { method: 'POST', body: '{}' }),
}

interface Outcome {
  readonly title: string
  readonly status: number
  readonly text: string
}

const sendAll = (kinds: Record<string, (ask: Ask) => Promise<Response>>): Promise<Outcome[]> =>
  Promise.all(
    Object.entries(kinds).map(async ([title, ask]) => {
      const response = await ask(eve)
      return { title, status: response.status, text: await response.text().catch(() => 'cut off') }
    }),
  )

/** A search finds nothing, and of named entries none are told. */
const isEmpty = (text: string): boolean => ['', '[]'].includes(text.trim())

const given = ({ status, text }: Outcome): boolean =>
  (status < 300 && text.includes('CANARY')) || text.startsWith('text ')

const expectUnbroken = ({ title, status, text }: Outcome): void =>
  // A mount that goes away under a request is not available to it.
  expect([title, status >= 500 && status !== 503 ? `${status} ${text}` : '']).toEqual([title, ''])

interface Flip {
  /** Gives eve all rights in Photos, and returns what takes them away again. */
  give(id: number): Promise<() => Promise<number>>
}

const flips: Record<string, Flip> = {
  'a grant is removed': {
    async give(id) {
      const grant = await world.grant('user:2', `${id}:/family`, everything)
      return () => send('DELETE', `/api/grants/${grant.id}`)
    },
  },
  'a grant is emptied': {
    async give(id) {
      const grant = await world.grant('user:2', `${id}:/family`, everything)
      return () => send('PUT', `/api/grants/${grant.id}`, { rights: [] })
    },
  },
  'a deeper grant hides everything': {
    async give(id) {
      await world.grant('everybody', `${id}:/`, everything)
      return () => send('POST', '/api/grants', { subject: 'user:2', mount: id, folder: '/family', rights: [] })
    },
  },
  'the account leaves its group': {
    async give(id) {
      const group = await jsonIn<{ id: number }>(
        admin('/api/groups', { method: 'POST', body: json({ name: `Team ${number++}`, members: [2] }) }),
      )
      await world.grant(`group:${group.id}`, `${id}:/family`, everything)
      return () => send('PUT', '/api/users/2/groups', { groups: [] })
    },
  },
  'its group is removed': {
    async give(id) {
      const group = await jsonIn<{ id: number }>(
        admin('/api/groups', { method: 'POST', body: json({ name: `Team ${number++}`, members: [2] }) }),
      )
      await world.grant(`group:${group.id}`, `${id}:/family`, everything)
      return () => send('DELETE', `/api/groups/${group.id}`)
    },
  },
  'the mount is removed': {
    async give(id) {
      await world.grant('user:2', `${id}:/family`, everything)
      return () => send('DELETE', `/api/mounts/${id}`)
    },
  },
}

test.each(Object.entries(flips))(
  'when %s, no request that begins later is given anything',
  async (_title, { give }) => {
    const take = await give(await photosId())
    for (const outcome of await sendAll(readings)) expect([outcome.title, outcome.status]).toEqual([outcome.title, 200])
    const running = sendAll({ ...readings, ...changes })
    expect([200, 201, 204]).toContain(await take())
    const firstLate = number
    for (const outcome of await sendAll(readings)) {
      expect([outcome.title, outcome.status, given(outcome)]).toEqual([outcome.title, outcome.status, false])
      expect([outcome.title, outcome.status === 200 && !isEmpty(outcome.text)]).toEqual([outcome.title, false])
      expectUnbroken(outcome)
    }
    // With its last mount gone the tree has no names any more, and the same paths may lead into the home.
    for (const outcome of await sendAll(changes)) expectUnbroken(outcome)
    for (const outcome of await running) expectUnbroken(outcome)
    const late = Object.keys(snapshot(folder)).filter(
      (path) => Number(/(?:new|moved)-(\d+)/.exec(path)?.[1] ?? -1) >= firstLate,
    )
    expect(late.slice(0, 3)).toEqual([])
    expect(JSON.stringify(snapshot(join(server.root, 'users/eve')))).not.toContain(`"new-${firstLate}/CANARY`)
  },
)

test('when a mount becomes read-only, nothing in it changes any more and reading goes on', async () => {
  const id = await photosId()
  await world.grant('user:2', `${id}:/family`, everything)
  const running = sendAll(changes)
  expect(await send('PUT', `/api/mounts/${id}`, { name: 'Photos', folder, readOnly: true })).toBe(200)
  const { link, away, ...intoMount } = changes
  const outcomes = await sendAll(intoMount)
  expect(outcomes.map(({ title, status }) => [title, status === 403])).toEqual(
    outcomes.map(({ title }) => [title, true]),
  )
  for (const outcome of await running) expectUnbroken(outcome)
  expect(
    (await sendAll({ archive: readings.archive as (ask: Ask) => Promise<Response> })).map(({ status }) => status),
  ).toEqual([200])
  expect(await send('PUT', `/api/mounts/${id}`, { name: 'Photos', folder, readOnly: false })).toBe(200)
})

test('every answer fits the rights at some moment while it was made', async () => {
  const id = await photosId()
  const grant = await world.grant('user:2', `${id}:/family`, everything)
  /** Counts acknowledged changes; the rights are known while no change is under way. */
  let [epoch, isChanging, isAllowed] = [0, false, true]
  let isOver = false
  const wrong: string[] = []
  let checked = 0
  const reader = async () => {
    while (!isOver) {
      for (const [title, ask] of Object.entries(readings)) {
        const [begun, wasQuiet, expected] = [epoch, !isChanging, isAllowed]
        const response = await ask(eve)
        const text = await response.text()
        if (response.status >= 500) wrong.push(`${title} ${response.status}`)
        if (!wasQuiet || isChanging || begun !== epoch) continue
        checked += 1
        const got = response.status === 200 && (title === 'folders' || title === 'size' || !isEmpty(text))
        if (got !== expected)
          wrong.push(`${title} answered ${response.status} while ${expected ? 'allowed' : 'forbidden'}`)
      }
    }
  }
  const readers = [reader(), reader(), reader()]
  for (let flip = 0; flip < 30; flip += 1) {
    isChanging = true
    expect(await send('PUT', `/api/grants/${grant.id}`, { rights: isAllowed ? [] : everything })).toBe(200)
    isAllowed = !isAllowed
    epoch += 1
    isChanging = false
    const goal = checked + 8
    while (checked < goal && wrong.length === 0) await Bun.sleep(1)
  }
  isOver = true
  await Promise.all(readers)
  expect(wrong).toEqual([])
}, 120_000)

test('nothing is lost when rights go while folders move between mounts', async () => {
  const id = await photosId()
  for (let round = 0; round < 6; round += 1) {
    const grant = await world.grant('user:2', `${id}:/family`, everything)
    const there = readdirSync(join(folder, 'family')).filter((name) => name.startsWith('part-'))
    const moves = there.map((name) =>
      statusOf(
        eve(`/api/resources/Photos/family/${name}?action=rename&destination=/Home/${name}`, { method: 'PATCH' }),
      ),
    )
    await Promise.race([Promise.any(moves), Bun.sleep(round * 3)])
    await world.revoke(grant)
    for (const status of await Promise.all(moves)) expect([200, 403, 404, 409]).toContain(status)
    const contents = [snapshot(join(server.root, 'users/eve')), snapshot(join(folder, 'family'))].flatMap((tree) =>
      Object.values(tree).filter((content) => content.startsWith('text ')),
    )
    expect(new Set(contents).size).toBe(files)
    expect(contents).toHaveLength(files)
    await world.grant('user:2', `${id}:/family`, everything)
    for (const name of readdirSync(join(server.root, 'users/eve')).filter((name) => name.startsWith('part-')))
      expect(
        await statusOf(
          eve(`/api/resources/Home/${name}?action=rename&destination=/Photos/family/${name}`, { method: 'PATCH' }),
        ),
      ).toBe(200)
    for (const left of await jsonIn<Grant[]>(admin('/api/grants'))) await world.revoke(left)
  }
}, 120_000)

test('an upload whose right goes between its pieces does not become a file', async () => {
  const id = await photosId()
  const tus = tusOf(eve)
  for (let round = 0; round < 5; round += 1) {
    const grant = await world.grant('user:2', `${id}:/family`, ['create'])
    const path = `/Photos/family/upload-${round}.bin`
    expect(await statusOf(tus.create(path, 200_000))).toBe(201)
    expect(await statusOf(tus.append(path, 0, new Uint8Array(100_000)))).toBe(204)
    await world.revoke(grant)
    expect([403, 404]).toContain(await statusOf(tus.append(path, 100_000, new Uint8Array(100_000))))
    expect(readdirSync(join(folder, 'family'))).not.toContain(`upload-${round}.bin`)
  }
})

test('a link shows nothing once its owner may not share or download there any more', async () => {
  const id = await photosId()
  const grant = await world.grant('user:2', `${id}:/family`, everything)
  const { hash } = await jsonIn<{ hash: string }>(eve('/api/share/Photos/family', { method: 'POST', body: '{}' }))
  for (const rights of [['see', 'download'], [], ['create']] as Right[][]) {
    expect(await statusOf(server.ask(`/api/public/share/${hash}`))).toBe(200)
    const running = [1, 2, 3].map(() => statusOf(server.ask(`/api/public/dl/${hash}?algo=tar`)))
    expect(await send('PUT', `/api/grants/${grant.id}`, { rights })).toBe(200)
    for (const address of [`share/${hash}`, `dl/${hash}?algo=tar`, `dl/${hash}/part-1/CANARY-1.txt`])
      expect([403, 404]).toContain(await statusOf(server.ask(`/api/public/${address}`)))
    for (const status of await Promise.all(running)) expect(status).toBeLessThan(500)
    expect(await send('PUT', `/api/grants/${grant.id}`, { rights: everything })).toBe(200)
  }
})
