import { expect, test } from 'bun:test'
import type { Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { DiskEntry } from '../storage/disk/entry.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { WholeFile } from '../storage/port.ts'
import type { Member } from './members.ts'
import { withFiles } from './small-files.ts'

interface Item {
  readonly member: Member
  readonly isRead: boolean
}

function item(path: string, { size = 10, isLink = false, isRead = true } = {}): Item {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const facts = { name, isLink, size, mode: 0o644, seconds: 1, nanoseconds: 0, inode: 1, device: 1 }
  const entry = new DiskEntry({ ...facts, kind: 'file' })
  return { member: { path: path as VirtualPath, name, entry }, isRead }
}

const fileOf = ({ member }: Item): WholeFile => ({ entry: member.entry, bytes: Buffer.from(member.path) })

/** What was read together, what was opened, and what came of it. */
async function packed(items: readonly Item[], readFiles?: Scope['readFiles']) {
  const [tasks, opened]: [string[], string[]] = [[], []]
  const all: Scope['readFiles'] = async (folder, names) => {
    return names
      .map((name) => items.find(({ member }) => member.path === `${folder}/${name}`))
      .map((one) => one && fileOf(one))
  }
  const scope = {
    readFiles(folder: VirtualPath, names: readonly string[], room: number) {
      tasks.push(`${folder}: ${names.join()} (${room})`)
      return (readFiles ?? all)(folder, names, room)
    },
  } as unknown as Scope
  const open = async (one: Item) => {
    opened.push(one.member.path)
    return `opened ${one.member.path}`
  }
  async function* runs() {
    yield items
  }
  const results: (string | undefined)[] = []
  for await (const group of withFiles(scope, runs(), open))
    for (const { file } of group) results.push(typeof file === 'object' ? Buffer.from(file.bytes).toString() : file)
  return { tasks, opened, results }
}

test('files of a folder are read together, and each folder by itself', async () => {
  const items = ['/a/1', '/a/2', '/b/3', '/a/4'].map((path) => item(path))
  const { tasks, opened, results } = await packed(items)
  expect(tasks).toEqual(['/a: 1,2 (20)', '/b: 3 (10)', '/a: 4 (10)'])
  expect([opened, results]).toEqual([[], ['/a/1', '/a/2', '/b/3', '/a/4']])
})

test('no more than a mebibyte is read at once', async () => {
  const items = Array.from({ length: 10 }, (_, index) => item(`/a/${index}`, { size: 250_000 }))
  const { tasks, results } = await packed(items)
  expect(tasks).toEqual(['/a: 0,1,2,3 (1000000)', '/a: 4,5,6,7 (1000000)', '/a: 8,9 (500000)'])
  expect(results).toEqual(items.map(({ member }) => member.path))
})

test('what is not to be read keeps its place and ends no group', async () => {
  const items = [item('/a/1'), item('/a/large', { isRead: false }), item('/a/2'), item('/', { isRead: false })]
  const { tasks, results } = await packed(items)
  expect([tasks, results]).toEqual([['/a: 1,2 (20)'], ['/a/1', undefined, '/a/2', undefined]])
})

test('what did not fit is asked for again, and symlinks and what was not read are opened', async () => {
  const items = [item('/a/1'), item('/a/link', { isLink: true }), item('/a/2'), item('/a/3')]
  const { tasks, opened, results } = await packed(items, async (folder, [name]) =>
    name === '2' ? [undefined] : [{ entry: item('').member.entry, bytes: Buffer.from(`${folder}/${name}`) }],
  )
  expect(tasks).toEqual(['/a: 1,2,3 (30)', '/a: 2,3 (20)', '/a: 3 (10)'])
  expect(opened).toEqual(['/a/link', '/a/2'])
  expect(results).toEqual(['/a/1', 'opened /a/link', 'opened /a/2', '/a/3'])
})

test('files of a folder that is gone are opened, which tells why, and a disk that does not answer is told of', async () => {
  const items = [item('/a/1'), item('/a/2')]
  const refusing = (code: 'not-found' | 'unavailable') =>
    packed(items, async () => {
      throw new Failure(code, 'test')
    })
  expect((await refusing('not-found')).results).toEqual(['opened /a/1', 'opened /a/2'])
  await expect(refusing('unavailable')).rejects.toMatchObject({ code: 'unavailable' })
})
