import { expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rightNames as rights } from '@filestead/contract'
import { noteDraft } from './database.ts'
import { countBelow, draftsBelow, treeOf } from './disk.ts'
import { copying, jobsOf, moving } from './jobs.ts'
import { type Program, startProgram, until } from './process.ts'
import { canMountDisks, newVolume, whyNoDisks } from './volumes.ts'

const newFolder = (): string => newVolume('256m') ?? ''

async function startWithOther(other: string, flags: string[] = []): Promise<Program> {
  const program = await startProgram({ flags: ['--mount', `Other=${other}`, ...flags] })
  const body = JSON.stringify({ subject: 'everybody', mount: 2, folder: '/', rights })
  expect((await program.ask('/api/grants', { method: 'POST', body })).status).toBe(201)
  return program
}

const small = 400
const large = randomBytes(24 << 20)

/** Small files in folders, and a large one; answers with their hashes. */
function fill(folder: string): Record<string, string> {
  for (let index = 0; index < small; index += 1) {
    const inside = join(folder, `${index % 7}/${index % 3}`)
    mkdirSync(inside, { recursive: true })
    writeFileSync(join(inside, `${index}.txt`), `${index} `.repeat(index))
  }
  writeFileSync(join(folder, 'large.bin'), large)
  return hashes(folder)
}

function hashes(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    files.map((file) => [file.slice(folder.length), createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )
}

/** A draft of a process that is gone. */
async function leave(database: string, place: string): Promise<void> {
  writeFileSync(place, '')
  await noteDraft(database, place)
}

/** Kills the server when the disk shows that work is under way, or over. */
async function killedWhen(program: Program, isSoFar: () => boolean): Promise<void> {
  await until(isSoFar)
  await program.kill()
}

test.if(canMountDisks).each([['copy'], ['move']] as const)(
  `a %s to another disk goes on by itself after each kill of the server, and nothing is lost${whyNoDisks}`,
  async (kind) => {
    const other = newFolder()
    await using program = await startWithOther(other)
    const expected = fill(join(program.root, 'box'))
    const request = (kind === 'copy' ? copying : moving)('/Files/box', '/Other/box')
    const { id } = await jobsOf(program.ask).begin(request)
    for (const part of [1, small / 2]) {
      await killedWhen(program, () => countBelow(other) >= part)
      // Another server may be at work on it.
      const left = await program.atStandstill(
        () => new Set([program.root, other].flatMap((root) => Object.values(hashes(root)))),
      )
      expect(Object.values(expected).filter((hash) => !left.has(hash))).toEqual([])
      await program.start()
    }
    const job = await jobsOf(program.ask).until(id, 'done', 'failed', 'asking')
    expect(job).toMatchObject({ state: 'done', finished: 1, failures: [] })
    expect(hashes(join(other, 'box'))).toEqual(expected)
    if (kind === 'copy') expect(hashes(join(program.root, 'box'))).toEqual(expected)
    else expect(existsSync(join(program.root, 'box'))).toBe(false)
    await until(() => [...draftsBelow(program.root), ...draftsBelow(other)].length === 0)
  },
  120_000,
)

test.if(canMountDisks)(
  `many entries are moved once each, though the server is killed between them${whyNoDisks}`,
  async () => {
    const other = newFolder()
    await using program = await startWithOther(other)
    const names = Array.from({ length: 60 }, (_, index) => `${index}.txt`)
    for (const name of names) writeFileSync(join(program.root, name), name)
    const items = names.map((name) => ({ from: `/Files/${name}`, to: `/Other/${name}` }))
    const { id } = await jobsOf(program.ask).begin({ kind: 'move', items, onConflict: 'keep-both' })
    for (const part of [1, 20]) {
      await killedWhen(program, () => countBelow(other) >= part)
      await program.start()
    }
    expect(await jobsOf(program.ask).until(id, 'done', 'failed', 'asking')).toMatchObject({
      ...{ state: 'done', finished: 60, failures: [], renamed: [] },
    })
    expect(treeOf(other)).toEqual(Object.fromEntries(names.map((name) => [name, name])))
    expect(treeOf(program.root)).toEqual({})
  },
  120_000,
)

test('removals go on after a kill of the server, and what is gone counts as done', async () => {
  await using program = await startProgram()
  const names = Array.from({ length: 12 }, (_, index) => `folder ${index}`)
  for (const name of names) {
    mkdirSync(join(program.root, name, 'deep'), { recursive: true })
    for (let index = 0; index < 60; index += 1) writeFileSync(join(program.root, name, `deep/${index}`), '')
  }
  writeFileSync(join(program.root, 'kept.txt'), 'kept')
  const { id } = await jobsOf(program.ask).begin({ kind: 'delete', items: names.map((name) => `/${name}`) })
  const isLeft = (name: string) => existsSync(join(program.root, name))
  for (const part of [11, 6]) {
    await killedWhen(program, () => names.filter(isLeft).length <= part)
    await program.start()
  }
  expect(await jobsOf(program.ask).until(id, 'done', 'failed')).toMatchObject({ state: 'done', finished: 12 })
  expect(treeOf(program.root)).toEqual({ 'kept.txt': 'kept' })
}, 120_000)

test.if(canMountDisks)(
  `a clean stop puts a job back, one that is paused stays so over restarts, and both keep what is copied${whyNoDisks}`,
  async () => {
    const other = newFolder()
    await using program = await startWithOther(other)
    fill(join(program.root, 'box'))
    const id = await pausedCopy(program, other)
    const expected = hashes(join(program.root, 'box'))
    const leftover = join(program.root, '.filestead-draft-left')
    for (const stop of [() => program.terminate(), () => program.kill()]) {
      await stop()
      await leave(program.database, leftover)
      await program.start()
      expect((await jobsOf(program.ask).find(id)).state).toBe('paused')
    }
    // Drafts of jobs that go on are no leftovers: when another one has been cleared away, they are still there.
    await until(() => !existsSync(leftover))
    expect(draftsBelow(other)).not.toEqual([])
    await jobsOf(program.ask).change(id, { action: 'resume' })
    await until(async () => (await jobsOf(program.ask).find(id)).state !== 'queued')
    await program.terminate()
    await program.start()
    expect((await jobsOf(program.ask).until(id, 'done', 'failed')).state).toBe('done')
    expect(hashes(join(other, 'box'))).toEqual(expected)
  },
  120_000,
)

/** A copy that is paused in the middle. A quick disk may be done before: then it begins once more, with more files. */
async function pausedCopy({ ask, root }: Program, other: string): Promise<string> {
  const jobs = jobsOf(ask)
  for (let round = 0; round < 8; round += 1) {
    const { id } = await jobs.begin(copying('/Files/box', '/Other/box'))
    await until(async () => (await jobs.find(id)).done.files > 0)
    await jobs.change(id, { action: 'pause' }).catch(() => undefined)
    // One that was all done when it heard of the pause is done after all.
    if ((await jobs.until(id, 'paused', 'done')).state === 'paused') await Bun.sleep(500)
    if ((await jobs.find(id)).state === 'paused') return id
    rmSync(join(other, 'box'), { recursive: true })
    const more = join(root, `box/more-${round}`)
    mkdirSync(more)
    for (let index = 0; index < 1500; index += 1) writeFileSync(join(more, `${index}.txt`), `${index}`)
  }
  throw new Error('The copy was always over too soon')
}
