import { expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Grant, isOver, type Job, rightNames } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { draftsBelow, treeOf } from './disk.ts'
import { copying, jobsOf, moving } from './jobs.ts'
import { type Program, startProgram, until } from './process.ts'
import { canMountDisks, mountDisk, newVolume, whyNoDisks } from './volumes.ts'

interface World extends AsyncDisposable {
  readonly program: Program
  readonly jobs: ReturnType<typeof jobsOf>
  readonly other: string
  readonly grant: Grant
}

/** A server whose administrator sees a disk of this size as Other. */
async function worldWith(size: string): Promise<World> {
  const other = newVolume(size) ?? ''
  const program = await startProgram({ flags: ['--mount', `Other=${other}`] })
  const body = JSON.stringify({ subject: 'user:1', mount: 2, folder: '/', rights: rightNames })
  const grant = await jsonIn<Grant>(program.ask('/api/grants', { method: 'POST', body }))
  return { program, jobs: jobsOf(program.ask), other, grant, [Symbol.asyncDispose]: () => program.end() }
}

async function ended({ jobs }: World, { id }: Job): Promise<Job> {
  let job = await jobs.find(id)
  await until(async () => {
    job = await jobs.find(id)
    return isOver(job.state)
  }, 120_000)
  return job
}

function fill(folder: string, count: number, size: number): void {
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < count; index += 1)
    writeFileSync(join(folder, nameOf(index)), Buffer.alloc(size, `${index} `))
}

const nameOf = (index: number) => `${String(index).padStart(5, '0')}.bin`

const inodes = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino]))

test.if(canMountDisks).each(['copy', 'move'] as const)(
  `a %s to a disk that becomes full fails, loses nothing, and goes on when it is tried again${whyNoDisks}`,
  async (kind) => {
    await using world = await worldWith('12m')
    const { program, jobs, other } = world
    fill(join(program.root, 'box'), 200, 50_000)
    const whole = treeOf(join(program.root, 'box'))
    // The room that was there before the first byte is taken by others.
    const request = (kind === 'copy' ? copying : moving)('/Files/box', '/Other/box')
    writeFileSync(join(other, 'others.bin'), Buffer.alloc(1 << 20))
    const filler = fillSoon(other)
    const job = await ended(world, await jobs.begin(request))
    filler.stop()
    expect(job).toMatchObject({ state: 'failed', problem: { code: 'no-space' } })
    expect(treeOf(join(program.root, 'box'))).toEqual(whole)
    expect(existsSync(join(other, 'box'))).toBe(false)
    const [draft] = readdirSync(other).filter((name) => name.endsWith('.0'))
    const before = draft === undefined ? {} : inodes(join(other, draft))
    expect(mountDisk(other, 'remount,size=64m')).toBe(true)
    await jobs.change(job.id, { action: 'retry' })
    expect(await ended(world, job)).toMatchObject({ state: 'done' })
    expect(treeOf(join(other, 'box'))).toEqual(whole)
    // What was there already was not copied a second time.
    const after = inodes(join(other, 'box'))
    const again = Object.entries(before).filter(([name, inode]) => after[name] !== inode)
    expect(again.length).toBeLessThanOrEqual(1)
    expect(existsSync(join(program.root, 'box'))).toBe(kind === 'copy')
    await until(() => draftsBelow(other).length === 0)
  },
  120_000,
)

/** Takes the room of a disk as soon as something is being copied to it. */
function fillSoon(folder: string): { stop(): void } {
  const timer = setInterval(() => {
    if (!readdirSync(folder).some((name) => name.startsWith('.filestead-'))) return
    clearInterval(timer)
    try {
      for (;;) appendFileSync(join(folder, 'others.bin'), Buffer.alloc(65_536))
    } catch {
      // Full.
    }
  }, 1)
  return { stop: () => clearInterval(timer) }
}

test.if(canMountDisks)(
  `an archive on a disk that is full fails, and goes on when it is tried again${whyNoDisks}`,
  async () => {
    await using world = await worldWith('6m')
    const { program, jobs, other } = world
    mkdirSync(join(program.root, 'box'))
    for (let index = 0; index < 300; index += 1)
      writeFileSync(join(program.root, 'box', `${index}`), crypto.getRandomValues(Buffer.alloc(50_000)))
    const request = { kind: 'compress', items: ['/Files/box'], to: '/Other/box.zip', format: 'zip' }
    const job = await ended(world, await jobs.begin(request))
    expect(job).toMatchObject({ state: 'failed', problem: { code: 'no-space' } })
    expect(readdirSync(other).includes('box.zip')).toBe(false)
    expect(mountDisk(other, 'remount,size=64m')).toBe(true)
    await jobs.change(job.id, { action: 'retry' })
    expect(await ended(world, job)).toMatchObject({ state: 'done', done: { files: 300 } })
    expect(draftsBelow(other)).toEqual([])
    if (Bun.which('unzip') !== null) expect(Bun.spawnSync(['unzip', '-tq', join(other, 'box.zip')]).exitCode).toBe(0)
  },
  120_000,
)

test.if(canMountDisks)(
  `what is written to the source of a move meanwhile is in the copy or still in the source${whyNoDisks}`,
  async () => {
    await using world = await worldWith('200m')
    const { program, jobs, other } = world
    const box = join(program.root, 'box')
    fill(box, 1500, 20_000)
    const job = await jobs.begin(moving('/Files/box', '/Other/box'))
    /** The last content of each file that was written to, as a program that holds no file open would. */
    const written = new Map<string, string>()
    const gone = new Set<string>()
    for (let index = 0; index < 300 && !isOver((await jobs.find(job.id)).state); index += 1) {
      const [changed, made, removed] = [nameOf((index * 7) % 1500), `new ${index}`, nameOf(1000 + index)]
      try {
        if (index % 3 === 0) {
          // Opened without making it: one that has left is not made again.
          writeFileSync(join(box, changed), `changed ${index}`, { flag: 'r+' })
          written.set(changed, `changed ${index}`)
        } else if (index % 3 === 1) {
          writeFileSync(join(box, made), made)
          written.set(made, made)
        } else {
          rmSync(join(box, removed))
          gone.add(removed)
          written.delete(removed)
        }
      } catch {
        // The folder has left.
      }
    }
    const end = await ended(world, job)
    expect(['done', 'failed']).toContain(end.state)
    const places = [box, join(other, 'box')]
    const lost = [...written].filter(
      ([name, content]) =>
        !places.some(
          (place) => existsSync(join(place, name)) && readFileSync(join(place, name), 'utf8').startsWith(content),
        ),
    )
    expect(lost).toEqual([])
    for (let index = 0; index < 1500; index += 1) {
      const name = nameOf(index)
      if (!gone.has(name)) expect([name, places.some((place) => existsSync(join(place, name)))]).toEqual([name, true])
    }
  },
  120_000,
)

test.if(canMountDisks)(
  `a copy whose source is removed meanwhile ends in a clear state${whyNoDisks}`,
  async () => {
    await using world = await worldWith('200m')
    const { program, jobs, other } = world
    fill(join(program.root, 'box'), 1500, 20_000)
    const job = await jobs.begin(copying('/Files/box', '/Other/box'))
    await until(() => draftsBelow(other).length > 0)
    rmSync(join(program.root, 'box'), { recursive: true, force: true })
    const end = await ended(world, job)
    if (end.state === 'failed') expect(['not-found', 'changed-meanwhile']).toContain(end.problem?.code ?? '')
    else expect(end.state).toBe('done')
  },
  120_000,
)

test.if(canMountDisks).each(['copy', 'move', 'compress'] as const)(
  `a %s ends when the right to its target is taken away, and leaves the source whole${whyNoDisks}`,
  async (kind) => {
    await using world = await worldWith('300m')
    const { program, jobs, other, grant } = world
    fill(join(program.root, 'box'), 4000, 30_000)
    const count = readdirSync(join(program.root, 'box')).length
    const requests = {
      copy: copying('/Files/box', '/Other/box'),
      move: moving('/Files/box', '/Other/box'),
      compress: { kind, items: ['/Files/box'], to: '/Other/box.tar.gz', format: 'tar.gz' },
    }
    const job = await jobs.begin(requests[kind])
    await until(() => draftsBelow(other).length > 0)
    expect((await program.ask(`/api/grants/${grant.id}`, { method: 'DELETE' })).status).toBe(204)
    const end = await ended(world, job)
    // It may have been over in the same moment.
    if (end.state !== 'done') expect(end).toMatchObject({ state: 'failed', problem: { code: 'forbidden' } })
    if (end.state !== 'done' || kind !== 'move') expect(readdirSync(join(program.root, 'box')).length).toBe(count)
    if (end.state !== 'done') expect(readdirSync(other).filter((name) => name.startsWith('box'))).toEqual([])
  },
  120_000,
)
