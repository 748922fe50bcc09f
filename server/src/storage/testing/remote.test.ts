import { describeStorage } from './conformance.ts'
import { fakeFileServer, fakeObjectStore } from './remote.fixture.ts'
import { memoryRemoteRecords } from './remote-records.fixture.ts'
import { remoteSubject } from './remote-subject.fixture.ts'

await describeStorage('remote, like an object store', async () => {
  const records = memoryRemoteRecords()
  return remoteSubject(fakeObjectStore(records.drafts), records)
})

await describeStorage('remote, like a file server', async () => {
  const files = fakeFileServer()
  return remoteSubject(files, memoryRemoteRecords(), { link: async (target, path) => files.putLink(target, path) })
})
