import { expect, test } from 'bun:test'
import { Failure, isFailure } from '../failure.ts'
import { type Location, mountOf, parseLocation, pathIn } from '../mounts/location.ts'
import { parsePath, rootPath, type VirtualPath } from '../storage/path.ts'
import { LinkInTheWay } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { Tree } from './tree.ts'
import { TreeStorage } from './tree-storage.ts'

const path = parsePath
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const codeOf = async (work: Promise<unknown>) => ((await failureOf(work)) as Failure | undefined)?.code
const partsOf = (bases: Record<string, string>) =>
  Object.entries(bases).map(([name, base]) => ({ name, base: parseLocation(base), isHome: name === 'Home' }))

async function* only(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Two mounts in memory; the second can be away, or never answer. */
function world(bases: Record<string, string> = { Home: '/users/bob', Files: '/', Photos: '2:/' }) {
  const disks = new Map([1, 2].map((id) => [id, memoryStorage()]))
  const away = new Set<number>()
  const hanging = new Set<number>()
  const transfers: string[] = []
  const moved: string[] = []
  const storageAt = (base: string) => {
    const location = parseLocation(base)
    const mount = mountOf(location)
    if (away.has(mount)) throw new Failure('unavailable', 'The disk of this folder is not there at the moment')
    const disk = disks.get(mount) ?? memoryStorage()
    const storage = pathIn(location) === rootPath ? disk : disk.beneath(pathIn(location))
    return hanging.has(mount) ? { ...storage, stat: () => new Promise<never>(() => {}) } : storage
  }
  const mounts = {
    storageAt,
    isAway: (mount: number) => away.has(mount),
    async transfer(kind: string, from: Location, to: Location) {
      transfers.push(`${kind} ${from} ${to}`)
    },
    async stage(kind: string, from: Location, to: Location) {
      transfers.push(`stage ${kind} ${from} ${to}`)
    },
  }
  const storage = new TreeStorage(new Tree(partsOf(bases), true), mounts)
  const strict = (isNamed: boolean) =>
    new TreeStorage(new Tree(partsOf(bases), isNamed), mounts, {
      at: parseLocation('/users/bob'),
      moved: () => void moved.push('moved'),
    })
  const put = async (files: Record<string, string>) => {
    for (const [location, text] of Object.entries(files)) {
      const [mount, at] = [mountOf(parseLocation(location)), pathIn(parseLocation(location))]
      await disks.get(mount)?.write(at, only(text), { precondition: 'absent' })
    }
  }
  const link = (target: string, at: string) => disks.get(1)?.putLink(target, path(at))
  return { storage, strict, disks, away, hanging, transfers, moved, put, link }
}

const namesIn = async (storage: TreeStorage, folder: string) =>
  (await storage.list(path(folder))).entries.map(({ name }) => name).sort()

test('the top of a tree lists its parts as folders, and the first segment chooses the part', async () => {
  const { storage, put } = world()
  await put({ '/users/bob/own.txt': 'own', '/team/a.txt': 'a', '2:/sea.jpg': 'sea' })
  const { folder, entries } = await storage.list(rootPath)
  expect(entries.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['Home folder', 'Files folder', 'Photos folder'])
  expect([folder.kind, (await storage.find(rootPath, { lists: true })).entries?.length]).toEqual(['folder', 3])
  expect([
    await namesIn(storage, '/Home'),
    await namesIn(storage, '/Files'),
    await namesIn(storage, '/Photos'),
  ]).toEqual([...[['own.txt'], ['team', 'users'], ['sea.jpg']]])
  expect((await storage.stat(path('/Photos'))).name).toBe('Photos')
  expect(await (await storage.open(path('/Files/users/bob/own.txt'))).content.text()).toBe('own')
  const seen: VirtualPath[] = []
  await storage.visitBelow(path('/Files/users'), (below) => seen.push(below))
  expect(seen.sort()).toEqual(['/Files/users/bob', '/Files/users/bob/own.txt'].map(path))
  expect(await codeOf(storage.stat(path('/Other/x')))).toBe('not-found')
})

test('a part that is away, or does not answer, is listed and keeps no other from its listing', async () => {
  const { storage, away, hanging, put } = world()
  await put({ '/team/a.txt': 'a' })
  hanging.add(2)
  expect((await storage.list(rootPath)).entries.map(({ name, seconds }) => [name, seconds > 0])).toContainEqual([
    ...['Photos', false],
  ])
  hanging.clear()
  away.add(2)
  expect(await namesIn(storage, '/')).toEqual(['Files', 'Home', 'Photos'])
  expect(await codeOf(storage.list(path('/Photos')))).toBe('unavailable')
  expect((await storage.names(rootPath)).map(({ name }) => name)).toEqual(['Home', 'Files'])
  expect((await storage.list(rootPath, undefined, { isOnce: true })).entries).toHaveLength(2)
  expect(await namesIn(storage, '/Files')).toEqual(['team'])
})

test('nothing is made, moved, copied or removed at the top', async () => {
  const { storage, put } = world()
  await put({ '/team/a.txt': 'a' })
  const [file, replace] = [path('/Files/team/a.txt'), { replace: true }]
  for (const work of [
    storage.createFolder(rootPath),
    storage.remove(path('/Photos')),
    storage.rename(path('/Photos'), path('/Files/photos'), replace),
    storage.rename(file, path('/Photos'), replace),
    storage.copy(path('/Photos'), path('/Files/photos'), replace),
  ])
    expect(await codeOf(work)).toBe('forbidden')
  for (const work of [
    storage.createFolder(path('/New')),
    storage.write(path('/new.txt'), only('x'), { precondition: 'any' }),
    storage.rename(file, path('/a.txt'), replace),
  ])
    expect(await codeOf(work)).toBe('not-found')
})

test('transfers between two parts of one mount are its own, and those between mounts go to the registry', async () => {
  const { storage, put, transfers } = world()
  await put({ '/users/bob/own.txt': 'own', '/team/a.txt': 'a', '2:/sea.jpg': 'sea' })
  await storage.rename(path('/Home/own.txt'), path('/Files/team/own.txt'), { replace: false })
  await storage.copy(path('/Files/team/a.txt'), path('/Home/a.txt'), { replace: false })
  expect([await namesIn(storage, '/Home'), await namesIn(storage, '/Files/team')]).toEqual([
    ...[['a.txt'], ['a.txt', 'own.txt']],
  ])
  await storage.rename(path('/Photos/sea.jpg'), path('/Home/sea.jpg'), { replace: false })
  await storage.copy(path('/Home/a.txt'), path('/Photos/a.txt'), { replace: false })
  expect(transfers).toEqual(['move 2:/sea.jpg /users/bob/sea.jpg', 'copy /users/bob/a.txt 2:/a.txt'])
  const into = storage.rename(path('/Files/users'), path('/Home/users'), { replace: false })
  expect(await codeOf(into)).toBe('invalid')
})

test('a symlink that leads out of the home is resolved where another part holds its target', async () => {
  const { storage, link, put } = world()
  await put({ '/users/bob/own.txt': 'own', '/team/a.txt': 'a' })
  link('../../team', '/users/bob/link')
  expect(await failureOf(storage.list(path('/Home/link')))).toBeInstanceOf(LinkInTheWay)
  expect(await storage.resolve(path('/Home/link/a.txt'))).toBe(path('/Files/team/a.txt'))
  const alone = world({ Home: '/users/bob' })
  await alone.put({ '/users/bob/own.txt': 'own' })
  alone.link('../../team', '/users/bob/link')
  expect(await codeOf(alone.storage.resolve(path('/Home/link/a.txt')))).toBe('forbidden')
})

test.each([true, false])('a home asked for by its path in the mount shows the same; names: %p', async (isNamed) => {
  const { strict, link, put, moved } = world({ Home: '/users/bob' })
  await put({ '/users/bob/own.txt': 'own', '/users/bob/sub/x': 'x', '/team/a.txt': 'a' })
  link('sub', '/users/bob/inside')
  link('../../team', '/users/bob/outside')
  const storage = strict(isNamed)
  const at = (text: string) => path(isNamed ? `/Home${text}` : text)
  const { folder, entries } = await storage.list(at('/'))
  expect([folder.name, entries.length]).toEqual([isNamed ? 'Home' : '', 4])
  expect(await storage.resolve(at('/inside/x'))).toBe(at('/sub/x'))
  expect(await storage.resolve(at('/own.txt'))).toBe(at('/own.txt'))
  expect(await codeOf(storage.resolve(at('/outside/a.txt')))).toBe('forbidden')
  const seen: VirtualPath[] = []
  await storage.visitBelow(at('/sub'), (below) => seen.push(below))
  expect(seen).toEqual([at('/sub/x')])
  await storage.rename(at('/own.txt'), at('/sub/own.txt'), { replace: false })
  expect((await storage.names(at('/sub'))).map(({ name }) => name).sort()).toEqual(['own.txt', 'x'])
  expect((await storage.beneath(at('/sub')).list(rootPath)).entries).toHaveLength(2)
  expect(moved).toEqual([])
})

test('a home that has become a symlink is not followed by its path in the mount, and is reported', async () => {
  const { strict, link, put, moved } = world({ Home: '/users/bob' })
  await put({ '/secret/a.txt': 'a' })
  link('../secret', '/users/bob')
  const storage = strict(false)
  expect(await failureOf(storage.open(path('/a.txt')))).toBeInstanceOf(LinkInTheWay)
  const refused = await failureOf(storage.resolve(path('/a.txt')))
  expect([isFailure(refused, 'changed-meanwhile'), moved]).toEqual([true, ['moved']])
})
