import { afterAll } from 'bun:test'
import { prefetch } from '../../concurrency/prefetch.ts'
import { parsePath } from '../path.ts'
import { describeStorage } from '../testing/conformance.ts'
import { memoryRemoteRecords } from '../testing/remote-records.fixture.ts'
import { remoteSubject } from '../testing/remote-subject.fixture.ts'
import { piecesOf } from '../testing/subject.fixture.ts'
import { openS3 } from './files.ts'
import { testServers } from './servers.fixture.ts'

const servers = await testServers()
afterAll(() => {
  for (const server of servers) server.stop()
})

let mounts = 0

for (const { name, place, keys } of servers)
  await describeStorage(`S3, by ${name}`, async () => {
    mounts += 1
    const records = memoryRemoteRecords()
    const files = openS3({
      place: { ...place, prefix: `mount-${mounts}` },
      keys: async () => keys,
      records: records.drafts,
    })
    await files.probe()
    return remoteSubject(files, records, {
      async fill(folder, names) {
        await files.createFolder(parsePath(folder))
        const write = (name: string) =>
          files.write(parsePath(`${folder}/${name}`), piecesOf(''), { precondition: 'any' })
        for await (const _ of prefetch(names, write, 32));
      },
    })
  })
