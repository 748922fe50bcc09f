import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isFailure } from '../../failure.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, parsePath, type VirtualPath } from '../path.ts'
import { LinkInTheWay, type Storage } from '../port.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { openBeneath } from '../testing/open-files.fixture.ts'
import { piecesOf } from '../testing/subject.fixture.ts'

afterAll(removeFolders)

/** Another process that makes 'swap' a folder, then a link to somewhere else, then a folder again, without a pause. */
function flip(root: string, outside: string) {
  symlinkSync(outside, join(root, 'link'))
  const program = Bun.fileURLToPath(import.meta.resolve('../testing/flipper.fixture.ts'))
  return Bun.spawn([process.execPath, program, join(root, 'swap'), join(root, 'link')], { stderr: 'inherit' })
}

/** What a caller does that follows links: the strict verb, and after a link the place it leads to. */
async function through<T>(storage: Storage, path: VirtualPath, verb: (path: VirtualPath) => Promise<T>) {
  for (let tries = 0; tries < 4; tries += 1) {
    try {
      return { value: await verb(tries === 0 ? path : await storage.resolve(path)) }
    } catch (error) {
      if (error instanceof LinkInTheWay) linksMet += 1
      else if (!isRefusal(error)) throw error
    }
  }
  return undefined
}

let linksMet = 0

const followers = ['read', 'write', 'create', 'copyIn', 'copyOut']

const isRefusal = (error: unknown) => isFailure(error, 'not-found', 'forbidden', 'already-exists')

test.each([true, false])(
  'a name that flips to a link leads nowhere outside (openat2: %p)',
  async (openat2) => {
    const [root, outside] = [await makeFolder(), await makeFolder()]
    const secrets = { '/file': 'OUTSIDE', '/deep/file': 'OUTSIDE', '/victim': 'OUTSIDE', '/box/a': 'OUTSIDE' }
    await putFiles(outside, secrets)
    mkdirSync(join(root, 'swap/deep'), { recursive: true })
    await putFiles(root, {
      '/swap/file': 'inside',
      '/swap/deep/file': 'inside',
      '/swap/box/a': 'inside',
      '/mine': 'mine',
    })
    const before = await filesIn(outside)
    const { storage, read, tree } = await makeHandle(makeDisk({ kernel: linuxKernel({ openat2 }) }), root)
    const descriptors = openBeneath(root)

    const flipper = flip(root, outside)
    const counts: Record<string, number> = {}
    linksMet = 0
    const start = performance.now()
    // The test proves something only if the verbs often met the folder, and often the link; a busy machine takes longer.
    const hasSeenEnough = () => followers.every((name) => (counts[name] ?? 0) > 5) && linksMet > 50
    const goesOn = () => performance.now() < start + (hasSeenEnough() ? 1000 : 20_000)
    const at = parsePath
    const work: Record<string, () => Promise<unknown>> = {
      read: async () => {
        const found = await through(storage, at('/swap/deep/file'), read)
        if (found) expect(found.value).toBe('inside')
        return found
      },
      list: () =>
        through(storage, at('/swap'), async (path) => {
          const { entries } = await storage.list(path)
          expect(entries.map(({ name }) => name)).not.toContain('victim')
        }),
      write: () =>
        through(storage, at('/swap/deep/file'), (path) =>
          storage.write(path, piecesOf('inside'), { precondition: 'any' }),
        ),
      create: () =>
        through(storage, at('/swap/p/new'), (path) => storage.write(path, piecesOf('inside'), { precondition: 'any' })),
      copyIn: () => through(storage, at('/swap/copy'), (path) => storage.copy(at('/mine'), path, { replace: true })),
      copyOut: () => through(storage, at('/swap/box'), (path) => storage.copy(path, at('/taken'), { replace: true })),
      rename: () => through(storage, at('/swap/box'), (path) => storage.rename(path, at('/away'), { replace: false })),
      renameBack: () =>
        through(storage, at('/swap/box'), (path) => storage.rename(at('/away'), path, { replace: false })),
      remove: () => through(storage, at('/swap/p'), (path) => storage.remove(path)),
      removeVictim: () => through(storage, at('/swap/victim'), (path) => storage.remove(path)),
      createFolder: () => through(storage, at('/swap/made'), (path) => storage.createFolder(path)),
    }
    try {
      while (goesOn())
        for (const [name, verb] of Object.entries(work)) if (await verb()) counts[name] = (counts[name] ?? 0) + 1
    } finally {
      flipper.kill()
      await flipper.exited
    }

    expect(await filesIn(outside)).toEqual(before)
    const inside = await filesIn(root)
    expect(Object.values(inside)).not.toContain('OUTSIDE')
    expect(Object.keys(inside).filter((path) => path.includes(draftPrefix))).toEqual([])
    expect(openBeneath(root)).toEqual(descriptors)
    expect(Object.keys(await tree()).length).toBeGreaterThan(4)
    expect(hasSeenEnough()).toBe(true)
  },
  40_000,
)
