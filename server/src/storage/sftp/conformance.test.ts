import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeStorage } from '../testing/conformance.ts'
import { memoryRemoteRecords } from '../testing/remote-records.fixture.ts'
import { remoteSubject } from '../testing/remote-subject.fixture.ts'
import { sftpConnection } from './connection.ts'
import { filesOver } from './files.ts'
import { atTheEnd, emptyFolder, servers } from './servers.fixture.ts'
import { hasSshd } from './sshd.fixture.ts'

for (const [kind, start] of Object.entries(servers)) {
  if (hasSshd && !kind.startsWith('sshd')) continue
  const server = await start()
  // One pair of connections for all tests: only the folder is another one.
  const options = { server: server.address(''), keys: async () => server.keys, patience: 10_000, firstPause: 1 }
  const connections = { lookups: sftpConnection(options), transfers: sftpConnection(options) }
  atTheEnd(async () => {
    connections.lookups.close()
    connections.transfers.close()
    await server.stop()
  })
  await describeStorage(`over SFTP: ${kind}`, async () => {
    const root = emptyFolder()
    const files = filesOver(connections, root)
    await files.probe()
    return remoteSubject(files, memoryRemoteRecords(), {
      wholeSeconds: true,
      async link(target, path) {
        mkdirSync(join(root, dirname(path)), { recursive: true })
        symlinkSync(target, join(root, path))
      },
      // Beside the server, which takes half a minute for thousands of them on a busy machine.
      async fill(folder, names) {
        mkdirSync(join(root, folder), { recursive: true })
        for (const name of names) writeFileSync(join(root, folder, name), '')
      },
    })
  })
}
