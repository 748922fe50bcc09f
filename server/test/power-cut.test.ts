import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { type CutDisk, type KindOfDisk, mountCutDisk } from './cut-disk.ts'
import { changeSomething, randomFrom, startJob } from './random-changes.ts'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'

setDefaultTimeout(120_000)

const recovered = 'lost+found'

/** All files and folders, those in the stores too. What was removed or replaced may be among what a repair finds. */
function everythingIn(top: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(top, { recursive: true, encoding: 'utf8' })) {
    // Infos are for desktops, a row tells the same; drafts are cleared away by the next start.
    if (name.startsWith(recovered) || /\.trashinfo$|\.filestead-draft-/.test(name)) continue
    const path = join(top, name)
    const isFolder = lstatSync(path).isDirectory()
    found[name] = isFolder ? 'folder' : createHash('sha256').update(readFileSync(path)).digest('hex')
  }
  return found
}

/** A server whose files lie on such a disk, and what a power cut leaves of them whenever something was answered. */
async function startOn(kind: KindOfDisk) {
  const disk: CutDisk | undefined = mountCutDisk(kind)
  const history = { trash: 'on', versions: true } as never
  const server = disk && (await startServer({ root: disk.top, history }))
  afterAll(async () => {
    await server?.stop()
    disk?.[Symbol.dispose]()
  })
  if (disk === undefined || server === undefined) return undefined
  // Not for random changes.
  if (existsSync(join(disk.top, recovered))) rmdirSync(join(disk.top, recovered))
  await server.addUser('ann')
  const check = async (what: string) => {
    const now = everythingIn(disk.top)
    expect({ what, ...(await disk.afterPowerCut(everythingIn)) }).toEqual({ what, ...now })
    return now
  }
  return { top: disk.top, ann: await server.as('ann'), check }
}

const uploaded = { 'deep/small.txt': 'small', 'deep/other.txt': 'other', 'large.bin': 'large '.repeat(50_000) }

async function uploadAll({ ann, check }: NonNullable<Awaited<ReturnType<typeof startOn>>>): Promise<void> {
  const tus = tusOf(ann)
  for (const [path, content] of Object.entries(uploaded)) {
    expect((await tus.create(`/${path}`, content.length)).status).toBe(201)
    expect((await tus.append(`/${path}`, 0, content)).status).toBe(204)
    expect(await check(path)).toHaveProperty([path])
  }
  expect((await ann('/api/resources/empty/', { method: 'POST' })).status).toBe(200)
  expect(await check('a folder')).toHaveProperty('empty')
}

for (const kind of ['ext4', 'xfs', 'btrfs'] as const) {
  const started = await startOn(kind)
  test.skipIf(started === undefined)(`what is answered is there after a power cut, on ${kind}`, async () => {
    if (started === undefined) return
    const { top, ann, check } = started
    await uploadAll(started)
    await startJob(ann, { kind: 'compress', items: ['/empty'], to: '/packed.zip', format: 'zip' })
    expect(await check('compress')).toHaveProperty(['packed.zip'])
    await startJob(ann, { kind: 'extract', from: '/packed.zip', to: '/unpacked' })
    expect(await check('extract')).toHaveProperty(['unpacked/empty'])
    const random = randomFrom(7)
    for (let count = 0; count < 80; count += 1)
      await check(`${count} ${await changeSomething(ann, { random, roots: { '': top }, merges: true })}`)
  })
}

const without = await startOn('ext4 without a journal')

// Not random changes: numbers of files and blocks that are used again mix up what a repair finds there.
test.skipIf(without === undefined)('new files and folders are, also on a disk without a journal', async () => {
  if (without !== undefined) await uploadAll(without)
})
