import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFailure } from '../../failure.ts'
import { startLine } from './line.fixture.ts'
import { at, atTheEnd, emptyFolder, filesOf, pieces, startServer } from './servers.fixture.ts'

const server = await startServer()
atTheEnd(() => server.stop())

const content = Buffer.from(Array.from({ length: 1_000_003 }, (_, index) => (index * 13 + (index >> 9)) & 0xff))

/** More than the requests of each piece of work below, with the chunks of the sign-in. */
const mostChunks = 60

async function setUp() {
  const folder = emptyFolder()
  const line = await startLine(server.port)
  atTheEnd(() => line.stop())
  const files = filesOf(server, '', { address: { ...server.address(folder), port: line.port }, patience: 5000 })
  return { folder, line, files }
}

const isWhole = (folder: string, name: string): boolean => readFileSync(join(folder, name)).equals(content)

/** Tries again while the server is away, as an upload does. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isFailure(error, 'unavailable') || tries === 20) throw error
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

for (const lost of ['request', 'answer'] as const) {
  test(`a save whose n-th ${lost} is lost leaves the old file or the new one, whole`, async () => {
    const { folder, line, files } = await setUp()
    await files.probe()
    for (let chunk = 1; chunk <= mostChunks; chunk += 1) {
      writeFileSync(join(folder, 'a'), 'old')
      await persistently(() => files.beginDraft(at('/a'), 'both connections are there', {}))
      line.cutAt(chunk, lost)
      const saved = await files.write(at('/a'), pieces(content), { precondition: 'any' }).then(
        () => true,
        (error) => (isFailure(error, 'unavailable') ? false : Promise.reject(error)),
      )
      const wasCut = line.sent >= chunk
      line.cutAt(Number.POSITIVE_INFINITY, lost)
      await persistently(() => files.stat(at('/')))
      if (saved) expect(isWhole(folder, 'a')).toBe(true)
      else expect(readFileSync(join(folder, 'a'), 'utf8') === 'old' || isWhole(folder, 'a')).toBe(true)
      if (!wasCut) return expect(chunk).toBeGreaterThan(8)
    }
  })

  test(`a draft whose n-th ${lost} is lost goes on where it ended, and becomes the file`, async () => {
    const { folder, line, files } = await setUp()
    await files.probe()
    for (let chunk = 1; chunk <= mostChunks; chunk += 1) {
      const path = at(`/file ${chunk}`)
      line.cutAt(chunk, lost)
      await persistently(async () => {
        const there = await files.stat(path)
        if (there !== undefined) return
        const size = await files.beginDraft(path, 'upload', {})
        const draft = await files.openDraft(path, 'upload')
        expect(draft.size).toBe(size)
        await draft.append(pieces(content.subarray(size, size + 400_000), content.subarray(size + 400_000)))
        await draft.sync()
        await draft.commit({ precondition: 'absent', length: content.length })
      })
      const wasCut = line.sent >= chunk
      line.cutAt(Number.POSITIVE_INFINITY, lost)
      expect(isWhole(folder, `file ${chunk}`)).toBe(true)
      if (!wasCut) break
    }
    expect(readdirSync(folder).filter((name) => name.includes('upload'))).toEqual([])
  })
}

test('a rename or a removal whose answer is lost has happened or not, and nothing in between', async () => {
  const { folder, line, files } = await setUp()
  await files.probe()
  for (let chunk = 1; chunk <= 20; chunk += 1) {
    writeFileSync(join(folder, 'a'), content)
    line.cutAt(chunk, 'answer')
    await files.renameFile?.(at('/a'), at('/b'), 'any').catch(() => {})
    line.cutAt(Number.POSITIVE_INFINITY, 'answer')
    await persistently(() => files.stat(at('/')))
    const names = readdirSync(folder)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(isWhole(folder, name)).toBe(true)
    await persistently(() => files.removeFile(at('/b')))
  }
})
