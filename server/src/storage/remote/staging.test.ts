import { expect, test } from 'bun:test'
import { Failure } from '../../failure.ts'
import { parsePath } from '../path.ts'
import { fakeFileServer, fakeObjectStore } from '../testing/remote.fixture.ts'
import { memoryRemoteRecords } from '../testing/remote-records.fixture.ts'
import { remoteSubject } from '../testing/remote-subject.fixture.ts'
import { handle, refusalOf } from '../testing/subject.fixture.ts'

const at = parsePath
const id = 'job.0'

test('a copy that fails where folders are renamed shows nothing, and what it had brought is not brought again', async () => {
  const files = fakeFileServer()
  const { storage, put, tree, write } = handle(remoteSubject(files, memoryRemoteRecords()))
  await put(Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`/box/${nth}`, `${nth}`])))
  let left = 25
  files.faults.before = (verb) => {
    if (verb === 'copyFile') left -= 1
    if (left < 0) throw new Failure('unavailable', 'The server does not answer')
  }
  const copy = () => storage.copy(at('/box'), at('/copy'), { replace: false, staged: id })
  const staging = storage.stage('copy', at('/box'), at('/copy'), { id, replace: false })
  expect(await refusalOf(staging)).toMatchObject({ code: 'unavailable' })
  files.faults.before = undefined
  expect(Object.keys(await tree()).filter((path) => path.startsWith('/copy'))).toEqual([])
  await write('/box/0', 'changed', { precondition: 'any' })
  await storage.remove(at('/box/1'))
  const before = files.calls.get('copyFile') ?? 0
  await copy()
  expect((files.calls.get('copyFile') ?? 0) - before).toBeLessThan(20)
  await copy()
  await storage.unstage(at('/copy'), id)
  const shown = await tree()
  expect([shown['/copy/0'], shown['/copy/1'], Object.keys(shown).length]).toEqual(['changed', undefined, 80])
  expect(Object.keys(files.dump()).filter((path) => path.includes('.filestead'))).toEqual([])
})

test('a folder of 100,000 entries is listed in pages, and asked for only once', async () => {
  const records = memoryRemoteRecords()
  const files = fakeObjectStore(records.drafts)
  const { storage, fill } = handle(remoteSubject(files, records))
  await fill('/big', [])
  for (let nth = 0; nth < 100_000; nth += 1) files.putFile(`/big/${nth}`, '')
  const { entries } = await storage.list(at('/big'))
  expect(new Set(entries.map(({ name }) => name)).size).toBe(100_000)
  expect(files.calls.get('list')).toBe(100)
  const few = await storage.find(at('/big'), { lists: true, mostListed: 2000 })
  expect([few.entry.kind, few.entries]).toEqual(['folder', undefined])
  expect(files.calls.get('list')).toBeLessThan(105)
})
