import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KindOfDisk, mountCutDisk } from './cut-disk.ts'
import { changeSomething, randomFrom, startJob } from './random-changes.ts'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'

setDefaultTimeout(120_000)

/** All files and folders, those in the stores too. */
function everythingIn(top: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(top, { recursive: true, encoding: 'utf8' })) {
    // Infos are for desktops, a row tells the same; drafts are cleared away by the next start.
    if (/\.trashinfo$|\.filestead-draft-/.test(name)) continue
    const path = join(top, name)
    const isFolder = lstatSync(path).isDirectory()
    found[name] = isFolder ? 'folder' : createHash('sha256').update(readFileSync(path)).digest('hex')
  }
  return found
}

/** A server whose files and database lie on such a disk, and what a power cut leaves of them whenever something was answered. */
async function startOn(kind: KindOfDisk) {
  const disk = mountCutDisk(kind)
  if (disk === undefined) return undefined
  const [root, data] = ['files', 'data'].map((name) => join(disk.top, name)) as [string, string]
  for (const folder of [root, data]) mkdirSync(folder)
  disk.settle()
  const history = { trash: 'on', versions: true } as never
  const server = await startServer({ root, database: join(data, 'filestead.db'), history })
  afterAll(async () => {
    await server.stop()
    disk[Symbol.dispose]()
  })
  await server.addUser('ann')
  const check = async (what: string) => {
    const now = everythingIn(root)
    const left = await disk.afterPowerCut((top) => everythingIn(join(top, 'files')))
    expect({ what, ...left }).toEqual({ what, ...now })
    return now
  }
  /** What a query finds in the database after a power cut. */
  const rows = (query: string) =>
    disk.afterPowerCut((top) => {
      const sqlite = new Sqlite(join(top, 'data/filestead.db'))
      try {
        return sqlite.query(query).all()
      } finally {
        sqlite.close()
      }
    })
  return { root, ann: await server.as('ann'), check, rows }
}

type Started = NonNullable<Awaited<ReturnType<typeof startOn>>>

const uploaded = { 'deep/small.txt': 'small', 'deep/other.txt': 'other', 'large.bin': 'large '.repeat(50_000) }

async function uploadAll({ ann, check }: Started): Promise<void> {
  const tus = tusOf(ann)
  for (const [path, content] of Object.entries(uploaded)) {
    expect((await tus.create(`/${path}`, content.length)).status).toBe(201)
    expect((await tus.append(`/${path}`, 0, content)).status).toBe(204)
    expect(await check(path)).toHaveProperty([path])
  }
  expect((await ann('/api/resources/empty/', { method: 'POST' })).status).toBe(200)
  expect(await check('a folder')).toHaveProperty('empty')
}

async function share({ ann, rows }: Started): Promise<void> {
  const answer = await ann('/api/share/large.bin', { method: 'POST', body: '{}' })
  const { hash } = (await answer.json()) as { hash: string }
  expect(await rows('select hash from share')).toEqual([{ hash }])
  expect((await ann(`/api/share/${hash}`, { method: 'DELETE' })).status).toBe(200)
  expect(await rows('select hash from share')).toEqual([])
}

for (const kind of ['ext4', 'xfs', 'btrfs'] as const) {
  const started = await startOn(kind)
  test.skipIf(started === undefined)(`what is answered is there after a power cut, on ${kind}`, async () => {
    if (started === undefined) return
    const { root, ann, check } = started
    await uploadAll(started)
    await share(started)
    await startJob(ann, { kind: 'compress', items: ['/empty'], to: '/packed.zip', format: 'zip' })
    expect(await check('compress')).toHaveProperty(['packed.zip'])
    await startJob(ann, { kind: 'extract', from: '/packed.zip', to: '/unpacked' })
    expect(await check('extract')).toHaveProperty(['unpacked/empty'])
    const random = randomFrom(7)
    for (let count = 0; count < 80; count += 1)
      await check(`${count} ${await changeSomething(ann, { random, roots: { '': root }, merges: true })}`)
  })
}

const without = await startOn('ext4 without a journal')

// Not random changes: numbers of files and blocks that are used again mix up what a repair finds there.
test.skipIf(without === undefined)('new files, folders and links are, also on a disk without a journal', async () => {
  if (without === undefined) return
  await uploadAll(without)
  await share(without)
})
