import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CutDisk, kindsOfDisks, mountCutDisk } from '../../../test/cut-disk.ts'
import { parsePath } from '../path.ts'
import { filesIn, makeDisk, makeHandle, putFiles } from '../testing/disk.fixture.ts'
import { keepFor, keepingParts } from '../testing/keeping.fixture.ts'
import type { Handle } from '../testing/subject.fixture.ts'
import { rootAt } from './base.ts'
import { transferBetween } from './between-roots.ts'

setDefaultTimeout(60_000)

const disks = kindsOfDisks.map((kind) => [kind, mountCutDisk(kind)] as const)
afterAll(() => {
  for (const [, disk] of disks) disk?.[Symbol.dispose]()
})

const small = { length: 3 }
const large = 'content '.repeat(40_000)
const names = Array.from({ length: 12 }, (_, index) => `file-${index}`)
const many = (folder: string, content: string) =>
  Object.fromEntries(names.map((name) => [`${folder}/${name}`, content]))

interface Case {
  before?: Record<string, string>
  work(to: Handle): Promise<unknown>
  after: Record<string, string>
}

const cases: Record<string, Case> = {
  'a new folder': { work: ({ createFolder }) => createFolder('/new'), after: { '/new/': '' } },
  'small new files': {
    work: ({ write }) => Promise.all(names.map((name) => write(`/${name}`, 'new', small))),
    after: many('', 'new'),
  },
  'a small new file in new folders': {
    work: ({ write }) => write('/one/two/a', 'new', small),
    after: { '/one/': '', '/one/two/': '', '/one/two/a': 'new' },
  },
  'a large new file in new folders': {
    work: ({ write }) => write('/one/two/a', large),
    after: { '/one/': '', '/one/two/': '', '/one/two/a': large },
  },
  'a file that is replaced': {
    before: { '/a': 'old' },
    work: ({ write }) => write('/a', large, { precondition: 'any' }),
    after: { '/a': large },
  },
  'a file that is moved to a new folder': {
    before: { '/a': 'content' },
    work: ({ rename }) => rename('/a', '/one/two/b'),
    after: { '/one/': '', '/one/two/': '', '/one/two/b': 'content' },
  },
  'a folder that is moved to a new folder': {
    before: { '/from/deep/a': 'content' },
    work: ({ rename }) => rename('/from', '/one/two/to'),
    after: {
      '/one/': '',
      '/one/two/': '',
      '/one/two/to/': '',
      '/one/two/to/deep/': '',
      '/one/two/to/deep/a': 'content',
    },
  },
  'a file that is copied to a new folder': {
    before: { '/a': large },
    work: ({ copy }) => copy('/a', '/one/b'),
    after: { '/a': large, '/one/': '', '/one/b': large },
  },
  'a folder that is copied': {
    before: { ...many('/from/deep', 'content'), '/from/large': large },
    work: ({ copy }) => copy('/from', '/one/to'),
    after: {
      ...{ '/from/': '', '/from/deep/': '', ...many('/from/deep', 'content'), '/from/large': large },
      ...{ '/one/': '', '/one/to/': '', '/one/to/deep/': '' },
      ...many('/one/to/deep', 'content'),
      '/one/to/large': large,
    },
  },
  'a folder that is merged into another': {
    before: { ...many('/from/deep', 'new'), '/to/deep/kept': 'kept', '/to/deep/file-1': 'old' },
    work: ({ rename }) => rename('/from', '/to', true),
    after: { '/to/': '', '/to/deep/': '', ...many('/to/deep', 'new'), '/to/deep/kept': 'kept' },
  },
  'an empty folder that is copied': {
    before: { '/from/deep/a': 'content' },
    work: async ({ createFolder, copy }) => {
      await createFolder('/from/empty')
      await copy('/from', '/to')
    },
    after: {
      ...{ '/from/': '', '/from/deep/': '', '/from/deep/a': 'content', '/from/empty/': '' },
      ...{ '/to/': '', '/to/deep/': '', '/to/deep/a': 'content', '/to/empty/': '' },
    },
  },
  'what is removed': {
    before: { '/from/a': '1', '/b': '2' },
    work: async ({ remove }) => {
      await remove('/from')
      await remove('/b')
    },
    after: {},
  },
}

/** Empties it, and puts files there that a power cut leaves. */
async function prepare({ top, settle }: CutDisk, files: Record<string, string>): Promise<void> {
  for (const name of readdirSync(top)) if (name !== recovered) rmSync(join(top, name), { recursive: true, force: true })
  await putFiles(top, files)
  settle()
}

/** What was removed or replaced may be found there. */
const recovered = 'lost+found'

const found = async ({ afterPowerCut }: CutDisk): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(await afterPowerCut(filesIn)).filter(([path]) => !path.startsWith(`/${recovered}/`)),
  )

for (const [name, disk] of disks) {
  for (const [what, { before = {}, work, after }] of Object.entries(cases))
    test.skipIf(disk === undefined)(`${what}: there after a power cut, on ${name}`, async () => {
      if (disk === undefined) return
      await prepare(disk, before)
      await work(await makeHandle(makeDisk(), disk.top))
      expect(await found(disk)).toEqual(after)
    })

  test.skipIf(disk === undefined)(`what goes into a new trash is there after a power cut, on ${name}`, async () => {
    if (disk === undefined) return
    await prepare(disk, { '/from/a': '1', '/b': '2' })
    const { storage } = await makeHandle(makeDisk(keepingParts()), disk.top)
    for (const path of ['/from', '/b'].map(parsePath)) {
      const keep = keepFor('remove')
      await storage.remove(path, { keptAt: await storage.keepPlace(path, keep), keep })
    }
    const left = await found(disk)
    const kept = Object.entries(left).filter(([path]) => path.includes('/files/') && !path.endsWith('/'))
    expect(kept.map(([, content]) => content).sort()).toEqual(['1', '2'])
  })

  test.skipIf(disk === undefined)(`a first version is there after a power cut, on ${name}`, async () => {
    if (disk === undefined) return
    await prepare(disk, { '/a': 'old' })
    const { write } = await makeHandle(makeDisk(keepingParts()), disk.top)
    await write('/a', 'new', { precondition: 'any', keep: keepFor('save') })
    expect(Object.values(await found(disk))).toEqual(expect.arrayContaining(['old', 'new']))
  })

  test.skipIf(disk === undefined)(
    `symlinks that are copied or moved there are there after a power cut, on ${name}`,
    async () => {
      if (disk === undefined) return
      await prepare(disk, {})
      const from = await makeHandle()
      await putFiles(from.root, { '/folder/a': 'A' })
      for (const path of ['/folder/link', '/link', '/moved/link']) await from.link('a', path)
      const ends = (path: string) => {
        const [one, other] = [makeDisk(), makeDisk()]
        return [
          { disk: one, begin: rootAt(one, from.root), path: parsePath(path) },
          { disk: other, begin: rootAt(other, disk.top), path: parsePath(path) },
        ] as const
      }
      await transferBetween('copy', ...ends('/folder'), { replace: false })
      for (const path of ['/link', '/moved']) await transferBetween('move', ...ends(path), { replace: false })
      const there = { '/folder/': '', '/folder/a': 'A', '/folder/link@': 'a' }
      expect(await filesIn(from.root)).toEqual(there)
      expect(await found(disk)).toEqual({ ...there, '/link@': 'a', '/moved/': '', '/moved/link@': 'a' })
    },
  )

  test.skipIf(disk === undefined)(
    `a large copy has the mode of what it replaced after a power cut, on ${name}`,
    async () => {
      if (disk === undefined) return
      await prepare(disk, { '/open': 'x'.repeat(17 << 20), '/closed': 'old' })
      for (const [path, mode] of [
        ['open', 0o644],
        ['closed', 0o600],
      ] as const)
        chmodSync(join(disk.top, path), mode)
      disk.settle()
      const { storage } = await makeHandle(makeDisk(), disk.top)
      const [from, to, staged] = [parsePath('/open'), parsePath('/closed'), 'job.1']
      await storage.stage('copy', from, to, { id: staged, replace: true })
      disk.settle()
      await storage.copy(from, to, { staged, replace: true })
      const { size, mode } = await disk.afterPowerCut((top) => statSync(join(top, 'closed')))
      expect([size, mode & 0o777]).toEqual([17 << 20, 0o600])
    },
  )
}
