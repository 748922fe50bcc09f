import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOver } from '@filestead/contract'
import { draftsBelow, treeOf } from './disk.ts'
import { copying, jobsOf } from './jobs.ts'
import { headOf, openLine } from './line.ts'
import { type Cluster, hasContainers, healthOf, obstacle, type ServingNode, startCluster } from './nodes.ts'
import { until } from './process.ts'
import { pieceType, tusOf } from './tus.ts'

setDefaultTimeout(120_000)

describe.if(obstacle === '')(`A server that dies${obstacle}`, () => {
  let cluster: Cluster
  const at = (name: string) => join(cluster.root, name)
  const alive: ServingNode[] = []
  beforeAll(async () => {
    cluster = await startCluster(2, { isContained: hasContainers, flags: ['--nodeTimeout', '8s'] })
    alive.push(...cluster.nodes)
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  const portOf = ({ url }: ServingNode) => Number(new URL(url).port)

  /** Kills one, which another takes the place of when the work is done. */
  async function killed(victim: ServingNode, work: () => Promise<void>): Promise<void> {
    await victim.kill()
    alive.splice(alive.indexOf(victim), 1)
    try {
      await work()
    } finally {
      alive.push(await cluster.start(portOf(victim)))
    }
  }

  test('in the middle of a piece loses no byte of an upload, which goes on elsewhere', async () => {
    const [first, second] = alive
    if (first === undefined || second === undefined) throw new Error('There are two')
    const content = randomBytes(6_000_000)
    const tus = tusOf(cluster.ask)
    expect((await tus.create('/whole.bin', content.length)).status).toBe(201)
    expect((await tus.append('/whole.bin', 0, content.subarray(0, 1_000_000))).status).toBe(204)
    const line = await openLine(first.url)
    const headers = { 'x-auth': cluster.token, 'upload-offset': 1_000_000, 'content-type': pieceType }
    await line.send(headOf('PATCH', '/api/tus/whole.bin', { ...headers, 'content-length': 4_000_000 }))
    await line.send(content.subarray(1_000_000, 4_000_000))
    await killed(first, async () => {
      line.close()
      // Nobody is signed out, and the next server knows how far it came.
      const offset = Number(await tus.offset('/whole.bin'))
      expect(offset).toBeGreaterThanOrEqual(1_000_000)
      for (let from = offset; from < content.length; from += 700_000)
        expect((await tus.append('/whole.bin', from, content.subarray(from, from + 700_000))).status).toBe(204)
      expect(readFileSync(at('whole.bin')).equals(content)).toBe(true)
      expect(draftsBelow(cluster.root)).toEqual([])
    })
  })

  let files = 0
  function addFiles(): void {
    for (const last = files + 1500; files < last; files += 1) {
      mkdirSync(at(`many/${files % 30}`), { recursive: true })
      writeFileSync(at(`many/${files % 30}/${files}.txt`), `${files} `.repeat(200))
    }
  }

  /** Begins to copy many files, and answers with the job and the server that has it. */
  async function beginCopy(to: string): Promise<{ id: string; holder: ServingNode }> {
    const jobs = jobsOf(cluster.ask)
    // A quick disk may be done before this looks: then it begins once more, with more files.
    for (let round = 0; round < 8; round += 1) {
      const { id } = await jobs.begin(copying('/many', to))
      await until(async () => {
        const { state, done } = await jobs.find(id)
        return isOver(state) || done.files > 50
      })
      const running = `select node from job where id = '${id}' and state = 'running'`
      const [row] = await cluster.rows<{ node: string }>(running)
      const holder = alive.find((node) => node.isNamed(row?.node))
      if (holder !== undefined) return { id, holder }
      await jobs.until(id, 'done')
      rmSync(at(to), { recursive: true })
      addFiles()
    }
    throw new Error('The job was always over too soon')
  }

  async function expectWhole(id: string, to: string): Promise<void> {
    const job = await jobsOf(cluster.ask).until(id, 'done', 'failed')
    expect(job).toMatchObject({ state: 'done', done: { files } })
    expect(treeOf(at(to))).toEqual(treeOf(at('many')))
    expect(draftsBelow(cluster.root)).toEqual([])
  }

  test('leaves its job to another one, which ends it whole, and its row goes', async () => {
    addFiles()
    const { id, holder } = await beginCopy('/copied')
    await killed(holder, async () => {
      await expectWhole(id, 'copied')
      expect(await cluster.rows('select id from node')).toHaveLength(1)
    })
  })

  test.if(hasContainers)(
    'and one that only stood still for as long finds its job taken, and disturbs it no more',
    async () => {
      const { id, holder } = await beginCopy('/once')
      holder.signal('SIGSTOP')
      try {
        await until(async () => {
          const [row] = await cluster.rows<{ node: string | null }>(`select node from job where id = '${id}'`)
          return !holder.isNamed(row?.node)
        })
      } finally {
        holder.signal('SIGCONT')
      }
      await expectWhole(id, 'once')
      await until(async () => (await healthOf(holder)) === 200)
      await until(() => holder.log().includes('took this one for dead'))
      expect(await cluster.rows('select id from node')).toHaveLength(2)
    },
  )

  test('a change of folders that is cut off is brought to an end by another one', async () => {
    const [first] = alive
    if (first === undefined) throw new Error('There is one')
    mkdirSync(at('shared-folder'))
    writeFileSync(at('shared-folder/a.txt'), 'a')
    expect((await cluster.ask('/api/share/shared-folder', { method: 'POST', body: '{}' })).status).toBe(200)
    // As it stands between the rename and its outcome.
    const ids = await cluster.rows<{ id: string }>('select id from node')
    const id = ids.find((row) => first.isNamed(row.id))?.id
    await cluster.rows(`insert into change (id, node, kind, user_id, username, door, from_location, to_location, notes, began_at)
      values ('0', '${id}', 'move', 1, 'admin', 'web', '1:/shared-folder', '1:/elsewhere', '{}', 0)`)
    await killed(first, () =>
      until(async () => (await cluster.rows("select id from change where id = '0'")).length === 0),
    )
  })

  test('servers whose tables a newer version has changed stop by themselves, and say why', async () => {
    await cluster.rows("insert into counter (name, value) values ('tables', 1)")
    const stopped = alive.splice(0)
    for (const node of stopped) {
      const { code, stderr } = await node.ended
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('A newer version of Filestead has changed the tables'),
      ])
    }
    expect(await cluster.rows('select id from node')).toEqual([])
    // The next ones were started after that.
    for (const node of stopped) alive.push(await cluster.start(portOf(node)))
  })

  test('the database away is a 503 with a sentence, and all goes on when it is back', async () => {
    const tus = tusOf(cluster.ask)
    expect((await tus.create('/away.bin', 6)).status).toBe(201)
    expect((await tus.append('/away.bin', 0, 'abc')).status).toBe(204)
    await cluster.postgres.stop()
    const [first] = alive
    if (first === undefined) throw new Error('There is one')
    const answer = await first.ask('/api/resources/')
    expect([answer.status, (await answer.text()).length > 10]).toEqual([503, true])
    await until(async () => (await healthOf(first)) === 503)
    await cluster.postgres.start()
    await until(async () => (await Promise.all(alive.map(healthOf))).every((status) => status === 200))
    const rest = await tus.append('/away.bin', 3, 'def')
    expect([rest.status, await rest.text()]).toEqual([204, ''])
    expect(readFileSync(at('away.bin'), 'utf8')).toBe('abcdef')
  })
})

test.if(obstacle === '')(
  `One that died so soon that the others never looked at it leaves its job to them${obstacle}`,
  async () => {
    await using cluster = await startCluster(1)
    for (let index = 0; index < 500; index += 1) {
      mkdirSync(join(cluster.root, `many/${index % 10}`), { recursive: true })
      writeFileSync(join(cluster.root, `many/${index % 10}/${index}.txt`), `${index} `.repeat(200))
    }
    const young = await cluster.start()
    const { id } = await jobsOf(young.ask).begin(copying('/many', '/young'))
    const holder = async () =>
      (await cluster.rows<{ node: string | null }>(`select node from job where id = '${id}'`))[0]
    const before = await holder()
    expect(young.isNamed(before?.node)).toBe(true)
    await young.kill()
    // The next one finds the row of the dead one and removes it before the others have looked.
    await using next = await cluster.start()
    await until(async () => (await holder())?.node !== before?.node, 30_000)
    expect(await jobsOf(next.ask).until(id, 'done', 'failed')).toMatchObject({ state: 'done', done: { files: 500 } })
    expect(treeOf(join(cluster.root, 'young'))).toEqual(treeOf(join(cluster.root, 'many')))
  },
)
