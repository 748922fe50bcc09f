import { expect, test } from 'bun:test'
import { type AddressInfo, connect, createServer } from 'node:net'
import { connectionOwners, connectionsTo } from './connection-owners.ts'

test('of a table, only the ends of the server count, and no socket that listens', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0 20 4 30 10 -1
   2: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 13 1 0 20 4 30 10 -1
`
  expect(connectionsTo(8080, table)).toEqual([{ clientPort: 54321, inode: '12' }])
})

test('the process that has accepted a connection is found', async () => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const isAccepted = new Promise((done) => server.once('connection', done))
  const socket = connect(port, '127.0.0.1')
  await isAccepted
  expect((await connectionOwners(port, [process.pid])).get(socket.localPort ?? 0)).toBe(process.pid)
  socket.destroy()
  server.close()
})
