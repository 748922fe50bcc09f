import { afterAll, expect, test } from 'bun:test'
import { closeSync, existsSync, openSync, readlinkSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linuxKernel } from '../linux/kernel.ts'
import { lockByte } from '../linux/locks.ts'
import { draftPrefix, parsePath, partsSuffix } from '../path.ts'
import { diskStorage, filesIn, makeDisk, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { areApart, id, twoRoots } from '../testing/staging.fixture.ts'
import { handle } from '../testing/subject.fixture.ts'
import { rootAt } from './base.ts'
import { transferBetween } from './between-roots.ts'

afterAll(removeFolders)

const why = areApart ? '' : ' (skipped, because there is one file system alone)'
const draft = `${draftPrefix}${crypto.randomUUID()}`
const staged = `${draftPrefix}${id}`

/** Another thread gives its draft a name as soon as the first of what is in it is removed. */
function publishing() {
  const linux = linuxKernel()
  const came: string[] = []
  const unlink: typeof linux.unlink = (folder, name) => {
    linux.unlink(folder, name)
    const around = dirname(readlinkSync(`/proc/self/fd/${folder}`))
    if (!['a', 'b'].includes(String(name))) return
    try {
      renameSync(join(around, draft), join(around, 'came'))
      came.push(around)
    } catch {}
  }
  return { disk: makeDisk({ kernel: { ...linux, unlink } }), came }
}

const files = { '/box/x': 'x', [`/box/${draft}/a`]: 'a', [`/box/${draft}/b`]: 'b' }

test.each([
  ['removed', ({ remove }: ReturnType<typeof handle>) => remove('/box')],
  ['put together with another one', ({ rename }: ReturnType<typeof handle>) => rename('/box', '/there', true)],
])('what another thread is making in a folder that is %s does not appear half empty', async (_, change) => {
  const roots = await twoRoots()
  const { disk, came } = publishing()
  await putFiles(roots.from, { ...files, '/there/y': 'y' })
  await change(handle({ storage: diskStorage(disk, roots.from), root: roots.from } as never))
  expect([came, existsSync(join(roots.from, 'box'))]).toEqual([[], false])
})

test.if(areApart)(
  `what another thread is making in a folder that is moved to another disk does not appear half empty${why}`,
  async () => {
    const roots = await twoRoots()
    const { disk, came } = publishing()
    await putFiles(roots.from, files)
    const end = (root: string) => ({ disk, begin: rootAt(disk, root), path: parsePath('/box') })
    await transferBetween('move', end(roots.from), end(roots.to), { replace: false })
    expect([came, await filesIn(roots.from)]).toEqual([[], {}])
  },
)

test.if(areApart)(`what a job is staging in a folder that is moved to another disk stays${why}`, async () => {
  const roots = await twoRoots()
  const disk = makeDisk()
  await putFiles(roots.from, {
    '/box/x': 'x',
    [`/box/${staged}/a`]: 'a',
    [`/box/${staged}${partsSuffix}/lock`]: '',
  })
  const lock = openSync(join(roots.from, 'box', `${staged}${partsSuffix}`, 'lock'), 'r+')
  expect(lockByte(lock, 0)).toBe(true)
  const end = (root: string) => ({ disk, begin: rootAt(disk, root), path: parsePath('/box') })
  await transferBetween('move', end(roots.from), end(roots.to), { replace: false })
  closeSync(lock)
  expect(await filesIn(roots.from)).toMatchObject({ [`/box/${staged}/a`]: 'a' })
  expect(await filesIn(roots.to)).toEqual({ '/box/': '', '/box/x': 'x' })
})
