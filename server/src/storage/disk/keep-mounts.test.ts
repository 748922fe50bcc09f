import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePath } from '../path.ts'
import { storeNames } from '../store-names.ts'
import { makeDisk, makeHandle, removeFolders } from '../testing/disk.fixture.ts'
import { keepFor, keepingParts } from '../testing/keeping.fixture.ts'
import { canHaveOwnMounts, mount, unmountAll, withOwnMounts } from '../testing/own-mounts.fixture.ts'
import { isRerun, rerun } from '../testing/rerun.fixture.ts'

afterAll(async () => {
  unmountAll()
  await removeFolders()
})

// Where the system allows no mounts, the test is shown as skipped.
if (!isRerun())
  test.if(canHaveOwnMounts())(
    'stores on several disks and on full ones (the tests below, with mounts of their own)',
    () => {
      rerun(import.meta.path, withOwnMounts)
    },
  )
else {
  const makeKeeping = async () => {
    const parts = keepingParts()
    const to = await makeHandle(makeDisk(parts))
    const removeKept = async (path: string) => {
      const keep = keepFor('remove')
      const keptAt = await to.storage.keepPlace(parsePath(path), keep)
      await to.storage.remove(parsePath(path), { keptAt, keep })
      return keptAt
    }
    const save = (path: string, text: string) =>
      to.storage.write(parsePath(path), pieces(text), { precondition: 'any', keep: keepFor('save') })
    return { ...to, ...parts, removeKept, save }
  }

  async function* pieces(text: string) {
    yield Buffer.from(text)
  }

  /** A file that takes all the room there is. */
  function fillUp(place: string): void {
    const block = new Uint8Array(1 << 16)
    for (let count = 0; ; count += 1)
      try {
        writeFileSync(join(place, `.fill${count}`), block)
      } catch {
        return
      }
  }

  test('what lies on a disk that is mounted below the root is kept on that disk', async () => {
    const { root, removeKept, save, told } = await makeKeeping()
    mkdirSync(join(root, 'usb/docs'), { recursive: true })
    mount(join(root, 'usb'), '-t', 'tmpfs', 'tmpfs')
    mkdirSync(join(root, 'usb/docs'))
    writeFileSync(join(root, 'usb/docs/a'), '1')
    const { ino } = statSync(join(root, 'usb/docs/a'))
    const keptAt = await removeKept('/usb/docs/a')
    expect(keptAt).toStartWith(`/usb/${storeNames.trash}/files/a.`)
    expect(statSync(join(root, keptAt ?? '')).ino).toBe(ino)
    const info = readdirSync(join(root, `usb/${storeNames.trash}/info`))[0] ?? ''
    expect(readFileSync(join(root, `usb/${storeNames.trash}/info`, info), 'utf8')).toContain('\nPath=docs/a\n')
    await save('/usb/docs/b', '1')
    await save('/usb/docs/b', '2')
    expect(told.at(-1)).toMatchObject({
      kind: 'kept',
      kept: { at: '/usb/docs/b', place: expect.stringMatching(/^\/usb\/\.filestead-versions\/files\/b\./) },
    })
    expect(existsSync(join(root, storeNames.trash))).toBe(false)
  })

  test('a bind mount of the same disk has a store of its own, as no rename leaves it', async () => {
    const { root, removeKept } = await makeKeeping()
    for (const name of ['here', 'there']) mkdirSync(join(root, name))
    mount(join(root, 'there'), '--bind', join(root, 'here'))
    writeFileSync(join(root, 'there/a'), '1')
    expect(await removeKept('/there/a')).toStartWith(`/there/${storeNames.trash}/`)
  })

  test('a folder in which a disk is mounted does not go into the trash', async () => {
    const { root, removeKept } = await makeKeeping()
    mkdirSync(join(root, 'box/usb'), { recursive: true })
    mount(join(root, 'box/usb'), '-t', 'tmpfs', 'tmpfs')
    writeFileSync(join(root, 'box/usb/a'), '1')
    for (const path of ['/box', '/box/usb'])
      await removeKept(path).catch((error: unknown) => expect(error).toMatchObject({ code: 'forbidden' }))
    expect(readFileSync(join(root, 'box/usb/a'), 'utf8')).toBe('1')
  })

  test('on a full disk a removal goes into the trash without an info file', async () => {
    const { root, removeKept } = await makeKeeping()
    mkdirSync(join(root, 'full'))
    mount(join(root, 'full'), '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs')
    for (const name of ['first', 'a']) writeFileSync(join(root, 'full', name), name)
    await removeKept('/full/first')
    fillUp(join(root, 'full'))
    const keptAt = await removeKept('/full/a')
    expect(readFileSync(join(root, keptAt ?? ''), 'utf8')).toBe('a')
    expect(readdirSync(join(root, `full/${storeNames.trash}/info`))).toHaveLength(1)
  })

  test('a store that cannot be made refuses a removal with a sentence, and ends no save', async () => {
    const { root, storage, removeKept, save, told, read } = await makeKeeping()
    mkdirSync(join(root, 'odd'))
    mount(join(root, 'odd'), '-t', 'tmpfs', 'tmpfs')
    writeFileSync(join(root, 'odd/a'), '1')
    // The account of these tests may write everywhere, but not make a folder where a file is.
    for (const name of Object.values(storeNames)) writeFileSync(join(root, 'odd', name), '')
    const error = await removeKept('/odd/a').catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('deleted for good') })
    await save('/odd/a', '2')
    expect(await read('/odd/a')).toBe('2')
    expect(told).toEqual([{ kind: 'lost', at: parsePath('/odd/a') }])
    await storage.remove(parsePath('/odd/a'))
  })

  test('a store that is a symlink takes nothing in', async () => {
    const { root, removeKept } = await makeKeeping()
    mkdirSync(join(root, 'secret/files'), { recursive: true })
    mkdirSync(join(root, 'secret/info'))
    Bun.spawnSync(['ln', '-s', 'secret', join(root, storeNames.trash)])
    writeFileSync(join(root, 'a'), '1')
    const error = await removeKept('/a').catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'forbidden' })
    expect(readdirSync(join(root, 'secret/files'))).toEqual([])
    chmodSync(join(root, 'a'), 0o600)
  })
}
