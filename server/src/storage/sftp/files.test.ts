import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../test/process.ts'
import { refusalOf } from '../testing/subject.fixture.ts'
import { at, atTheEnd, emptyFolder, filesOf, namesIn, pieces, servers, textOf } from './servers.fixture.ts'

for (const [kind, start] of Object.entries(servers)) {
  const server = await start()
  atTheEnd(() => server.stop())

  function setUp() {
    const folder = emptyFolder()
    return { folder, files: filesOf(server, folder) }
  }

  describe(kind, () => {
    test('what was written is read, by ranges too, and no draft is left', async () => {
      const { folder, files } = setUp()
      const content = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff))
      const entry = await files.write(at('/a'), pieces(content), { precondition: 'absent', length: content.length })
      expect(entry).toEqual((await files.stat(at('/a'))) ?? entry)
      expect(entry).toMatchObject({ name: 'a', kind: 'file', size: 700_000, mode: 0o640 })
      for (const [start, end] of [
        [0, 700_000],
        [0, 1],
        [131_071, 131_073],
        [699_999, 700_000],
        [5, 5],
      ] as const)
        expect(
          Buffer.from(await new Response(files.read(at('/a'), entry, start, end)).bytes()).equals(
            content.subarray(start, end),
          ),
        ).toBe(true)
      expect(readdirSync(folder)).toEqual(['a'])
    })

    test('a reader that leaves early does not disturb the next one', async () => {
      const { files } = setUp()
      const entry = await files.write(at('/a'), pieces(new Uint8Array(3_000_000)), { precondition: 'absent' })
      for (let round = 0; round < 3; round += 1) {
        const reader = files.read(at('/a'), entry, 0, entry.size).getReader()
        await reader.read()
        await reader.cancel()
      }
      expect((await new Response(files.read(at('/a'), entry, 0, entry.size)).bytes()).length).toBe(3_000_000)
    })

    test('two saves of the same size within a second have two versions', async () => {
      const { files } = setUp()
      const versions = new Set<string>()
      for (let round = 0; round < 5; round += 1)
        versions.add((await files.write(at('/a'), pieces(`text ${round}`), { precondition: 'any' })).version)
      expect(versions.size).toBe(5)
      const modified = 1_500_000_000_000
      const one = await files.write(at('/b'), pieces('one'), { precondition: 'absent', modified })
      const two = await files.write(at('/b'), pieces('two'), { precondition: 'any', modified })
      expect(one.seconds).toBe(1_500_000_000)
      expect(two.version).not.toBe(one.version)
    })

    test('a precondition is asked in the step that gives the name', async () => {
      const { files, folder } = setUp()
      async function* meanwhile() {
        yield Buffer.from('mine')
        writeFileSync(join(folder, 'a'), 'theirs')
      }
      const late = files.write(at('/a'), meanwhile(), { precondition: 'absent' })
      expect(await refusalOf(late)).toMatchObject({ code: 'already-exists' })
      const entry = await files.stat(at('/a'))
      utimesSync(join(folder, 'a'), 1, 1)
      const other = files.write(at('/a'), pieces('mine'), { precondition: [entry?.version ?? ''] })
      expect(await refusalOf(other)).toMatchObject({ code: 'changed-meanwhile' })
      expect(await refusalOf(files.write(at('/b'), pieces(''), { precondition: 'present' }))).toMatchObject({
        code: 'not-found',
      })
      expect([readFileSync(join(folder, 'a'), 'utf8'), readdirSync(folder)]).toEqual(['theirs', ['a']])
    })

    test('of many who want a new name at once one gets it', async () => {
      const { files, folder } = setUp()
      // Each from a place of its own, so that only the server can decide.
      const outcomes = await Promise.allSettled(
        ['a', 'b', 'c', 'd'].map((text) =>
          (text === 'a' ? files : filesOf(server, folder)).write(at('/new'), pieces(text), { precondition: 'absent' }),
        ),
      )
      const winners = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? ['abcd'[index]] : []))
      if (kind === 'sshd') expect(winners).toHaveLength(1)
      expect(winners).toContain(readFileSync(join(folder, 'new'), 'utf8'))
      expect(readdirSync(folder)).toEqual(['new'])
    })

    test('a folder of 5,000 entries is listed whole', async () => {
      const { files, folder } = setUp()
      for (let index = 0; index < 5000; index += 1) writeFileSync(join(folder, `file ${index}`), 'x'.repeat(index % 7))
      const entries = new Map<string, number>()
      for await (const page of files.list(at('/'))) for (const { name, size } of page) entries.set(name, size)
      expect(entries.size).toBe(5000)
      expect(entries.get('file 4999')).toBe(4999 % 7)
    })

    test('a folder that gives way to a symlink right after a write takes no other change', async () => {
      const { folder, files } = setUp()
      const outside = emptyFolder()
      for (const name of ['kept', 'moved']) writeFileSync(join(outside, name), name)
      mkdirSync(join(folder, 'box'))
      await files.write(at('/box/a'), pieces('a'), { precondition: 'absent' })
      await files.write(at('/source'), pieces('source'), { precondition: 'absent' })
      rmSync(join(folder, 'box'), { recursive: true })
      symlinkSync(outside, join(folder, 'box'))
      const refused = { code: 'not-found' }
      expect(await refusalOf(files.write(at('/box/b'), pieces('b'), { precondition: 'any' }))).toMatchObject(refused)
      await files.removeFile(at('/box/kept'))
      for (const [from, to] of [
        ['/source', '/box/c'],
        ['/box/moved', '/stolen'],
      ] as const)
        expect(await refusalOf(files.renameFile?.(at(from), at(to), 'absent') ?? Promise.resolve())).toMatchObject(
          refused,
        )
      expect(await refusalOf(files.createFolder(at('/box/d')))).toMatchObject(refused)
      expect(readdirSync(outside).sort()).toEqual(['kept', 'moved'])
      expect(readdirSync(folder).sort()).toEqual(['box', 'source'])
    })

    test('symlinks are shown, but nothing goes through them', async () => {
      const { files, folder } = setUp()
      const outside = emptyFolder()
      writeFileSync(join(outside, 'secret'), 'secret')
      symlinkSync(outside, join(folder, 'out'))
      symlinkSync(join(outside, 'secret'), join(folder, 'file'))
      expect(await files.stat(at('/out'))).toMatchObject({ kind: 'link', isLink: true })
      expect(await files.stat(at('/out/secret'))).toBeUndefined()
      const link = await files.stat(at('/file'))
      if (link === undefined) throw new Error('The link is not told')
      const attempts = [
        () => new Response(files.read(at('/file'), link, 0, 6)).text(),
        () => namesIn(files, '/out'),
        () => files.write(at('/out/new'), pieces('x'), { precondition: 'any' }),
        () => files.write(at('/file'), pieces('x'), { precondition: 'any' }),
        () => files.beginDraft(at('/out/new'), 'draft', {}),
        () => files.createFolder(at('/out/new')),
        () => files.copyFile(at('/file'), at('/copy'), { precondition: 'any' }),
        () => files.renameFolder?.(at('/out'), at('/moved')),
      ]
      for (const attempt of attempts) expect(await refusalOf((async () => attempt())())).toBeDefined()
      await files.removeFile(at('/file'))
      expect(readdirSync(folder)).toEqual(['out'])
      expect(readdirSync(outside)).toEqual(['secret'])
      expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
    })

    test('a draft goes on where it ended, and becomes the file', async () => {
      const { files, folder } = setUp()
      expect(await files.beginDraft(at('/a'), 'draft', {})).toBe(0)
      const first = await files.openDraft(at('/a'), 'draft')
      await first.append(pieces('one', 'two'))
      await first.sync()
      expect(await files.beginDraft(at('/a'), 'draft', {})).toBe(6)
      const second = await files.openDraft(at('/a'), 'draft')
      await second.append(pieces('three'))
      expect(Buffer.from(await second.read(3, 8)).toString()).toBe('twoth')
      await second.truncate(6)
      const refused = second.commit({ precondition: 'absent', length: 7 })
      expect(await refusalOf(refused)).toMatchObject({ code: 'incomplete' })
      const modified = 1_600_000_000_999
      expect(await second.commit({ precondition: 'absent', length: 6, modified })).toMatchObject({
        size: 6,
        seconds: 1_600_000_000,
      })
      expect([await textOf(files, '/a'), readdirSync(folder)]).toEqual(['onetwo', ['a']])
      expect(await refusalOf(files.openDraft(at('/a'), 'draft'))).toMatchObject({ code: 'not-found' })
      await files.dropDraft(at('/a'), 'draft')
    })

    test('the end of a draft of another process is trusted only where writes keep their order', async () => {
      const { files, folder } = setUp()
      await files.beginDraft(at('/a'), 'draft', {})
      const draft = await files.openDraft(at('/a'), 'draft')
      await draft.append(pieces(Buffer.alloc(3_000_000, 1)))
      expect(await files.beginDraft(at('/a'), 'draft', {})).toBe(3_000_000)
      const another = filesOf(server, folder)
      const size = await another.beginDraft(at('/a'), 'draft', {})
      expect(size).toBe(kind === 'sshd' ? 3_000_000 : 3_000_000 - 2 * 1_048_576)
      expect((await another.openDraft(at('/a'), 'draft')).size).toBe(size)
    })

    test('a draft that another process looks at while it is sent becomes the file, whole', async () => {
      const { files, folder } = setUp()
      const content = Buffer.from(Array.from({ length: 3_300_000 }, (_, index) => 1 + ((index >> 8) % 200)))
      const looked = Promise.withResolvers<void>()
      async function* slow() {
        yield content.subarray(0, 3_000_000)
        await looked.promise
        yield content.subarray(3_000_000)
      }
      await files.beginDraft(at('/a'), 'draft', {})
      const draft = await files.openDraft(at('/a'), 'draft')
      const sending = draft.append(slow())
      await until(() => statSync(join(folder, '.filestead-draft-draft')).size === 3_000_000)
      const another = filesOf(server, folder)
      await another.beginDraft(at('/a'), 'draft', {})
      await another.openDraft(at('/a'), 'draft')
      looked.resolve()
      await sending
      await draft.commit({ precondition: 'absent', length: content.length })
      expect(content.compare(readFileSync(join(folder, 'a')))).toBe(0)
    })

    test('what is not trusted of a draft is gone when it goes on, or becomes the file', async () => {
      const { files, folder } = setUp()
      for (const [path, rest] of [
        ['/a', 'rest'],
        ['/b', ''],
      ] as const) {
        await files.beginDraft(at(path), path.slice(1), {})
        const left = await files.openDraft(at(path), path.slice(1))
        await left.append(pieces(Buffer.alloc(3_000_000, 1)))
        const draft = await filesOf(server, folder).openDraft(at(path), path.slice(1))
        const { size } = draft
        await draft.append(pieces(rest))
        await draft.commit({ precondition: 'absent', length: size + rest.length })
        expect(statSync(join(folder, path)).size).toBe(size + rest.length)
      }
    })

    test('a sender that breaks off leaves what it sent in a draft, and nothing of a write', async () => {
      const { files, folder } = setUp()
      async function* breaking() {
        yield Buffer.alloc(300_000, 1)
        throw new Error('gone')
      }
      await files.beginDraft(at('/a'), 'draft', {})
      const draft = await files.openDraft(at('/a'), 'draft')
      expect(await refusalOf(draft.append(breaking()))).toMatchObject({ message: 'gone' })
      expect(draft.size).toBe(300_000)
      expect(await files.beginDraft(at('/a'), 'draft', {})).toBe(300_000)
      await files.dropDraft(at('/a'), 'draft')
      expect(await refusalOf(files.write(at('/b'), breaking(), { precondition: 'absent' }))).toMatchObject({
        message: 'gone',
      })
      expect(readdirSync(folder)).toEqual([])
    })

    test('names are moved and removed as asked', async () => {
      const { files, folder } = setUp()
      await files.createFolder(at('/box'))
      await files.createFolder(at('/box'))
      await files.write(at('/box/a'), pieces('a'), { precondition: 'absent' })
      await files.write(at('/b'), pieces('bb'), { precondition: 'absent' })
      expect(await refusalOf(files.createFolder(at('/b')))).toMatchObject({ code: 'already-exists' })
      expect(await refusalOf(files.createFolder(at('/none/box')))).toMatchObject({ code: 'not-found' })
      expect(await refusalOf(files.removeFolder(at('/box')))).toMatchObject({ code: 'already-exists' })
      const free = files.renameFile?.(at('/b'), at('/box/a'), 'absent') ?? Promise.resolve()
      expect(await refusalOf(free)).toMatchObject({ code: 'already-exists' })
      await files.renameFile?.(at('/b'), at('/box/a'), 'any')
      expect(await textOf(files, '/box/a')).toBe('bb')
      await files.renameFolder?.(at('/box'), at('/moved'))
      expect(await namesIn(files, '/moved')).toEqual(['a'])
      expect(await refusalOf(files.removeFile(at('/moved/a'), '"other"'))).toMatchObject({ code: 'changed-meanwhile' })
      await files.removeFile(at('/moved/a'))
      await files.removeFile(at('/moved/a'))
      await files.removeFolder(at('/moved'))
      await files.removeFolder(at('/moved'))
      expect(readdirSync(folder)).toEqual([])
    })

    test('a copy has the bytes, the time and the mode', async () => {
      const { files, folder } = setUp()
      const bytes = Buffer.alloc(3_000_001, 'some text')
      writeFileSync(join(folder, 'a'), bytes, { mode: 0o755 })
      utimesSync(join(folder, 'a'), 1_400_000_000, 1_400_000_000)
      let copied = 0
      await files.copyFile(at('/a'), at('/b'), {
        precondition: 'absent',
        progress: (more) => {
          copied += more
        },
      })
      const { mtimeMs, mode } = statSync(join(folder, 'b'))
      expect([mtimeMs, mode & 0o777, copied]).toEqual([1_400_000_000_000, 0o755, bytes.length])
      expect(readFileSync(join(folder, 'b')).equals(bytes)).toBe(true)
      const other = files.copyFile(at('/a'), at('/c'), { precondition: 'absent', version: '"other"' })
      expect(await refusalOf(other)).toMatchObject({ code: 'changed-meanwhile' })
      expect(readdirSync(folder).sort()).toEqual(['a', 'b'])
    })

    test('a file that is replaced keeps its mode', async () => {
      const { files, folder } = setUp()
      writeFileSync(join(folder, 'run'), 'old', { mode: 0o700 })
      await files.write(at('/run'), pieces('new'), { precondition: 'present' })
      expect(statSync(join(folder, 'run')).mode & 0o777).toBe(0o700)
    })

    test('a probe of what works says nothing, and leaves nothing', async () => {
      const { files, folder } = setUp()
      expect(await files.probe()).toBeUndefined()
      expect(readdirSync(folder)).toEqual([])
      const missing = filesOf(server, join(folder, 'none', 'below'))
      expect(await missing.probe()).toContain('There is no folder')
      expect(await refusalOf(missing.stat(at('/a')))).toMatchObject({ code: 'unavailable' })
      mkdirSync(join(folder, 'none', 'below'), { recursive: true })
      expect(await missing.probe()).toBeUndefined()
    })

    test('what a dead process left of a write goes when its folder is listed', async () => {
      const { files, folder } = setUp()
      for (const name of ['.filestead-draft-once-old', '.filestead-draft-upload', '.filestead-draft-once-new'])
        writeFileSync(join(folder, name), 'half')
      for (const name of ['.filestead-draft-once-old', '.filestead-draft-upload']) utimesSync(join(folder, name), 1, 1)
      await namesIn(files, '/')
      // It goes beside the answer.
      await until(() => !readdirSync(folder).includes('.filestead-draft-once-old'))
      expect(readdirSync(folder).sort()).toEqual(['.filestead-draft-once-new', '.filestead-draft-upload'])
    })
  })
}
