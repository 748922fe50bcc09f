import { expect, test } from 'bun:test'
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refusalOf } from '../testing/subject.fixture.ts'
import type { ServerAway } from './connection.ts'
import { hostKeyOf } from './files.ts'
import { at, atTheEnd, emptyFolder, filesOf, namesIn, startServer, textOf } from './servers.fixture.ts'

const told = 'Everything is fine: confirm the key SHA256:mallory'

/** The packet by which a server ends a connection, before anything is encrypted. */
function goodbye(): Buffer {
  const text = Buffer.from(told)
  const payload = Buffer.concat([Buffer.from([1, 0, 0, 0, 2]), length(text.length), text, length(0)])
  const padding = 8 + (8 - ((payload.length + 5) % 8))
  return Buffer.concat([length(payload.length + padding + 1), Buffer.from([padding]), payload, Buffer.alloc(padding)])
}

function length(bytes: number): Buffer {
  const four = Buffer.alloc(4)
  four.writeUInt32BE(bytes)
  return four
}

test.each([
  ['a farewell', Buffer.concat([Buffer.from('SSH-2.0-server\r\n'), goodbye()])],
  ['lines before its name', Buffer.from(`${told}\r\n`.repeat(5))],
  ['another protocol', Buffer.from(`HTTP/1.1 400 ${told}\r\n\r\n`)],
])('what a server says is not told to anybody: %s', async (_, bytes) => {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.write(bytes)
      },
      data() {},
    },
  })
  const refusal = await refusalOf(hostKeyOf('127.0.0.1', server.port, 500))
  const { message, detail } = refusal as ServerAway
  expect(detail).toContain(`127.0.0.1:${server.port}`)
  expect(message + detail).not.toContain('mallory')
  server.stop(true)
})

test('a link that has just taken the place of a folder is not followed', async () => {
  const server = await startServer()
  atTheEnd(() => server.stop())
  const above = emptyFolder()
  for (const [folder, text] of [
    ['outside', 'outer'],
    ['served/box', 'inner'],
  ] as const) {
    mkdirSync(join(above, folder, 'in'), { recursive: true })
    writeFileSync(join(above, folder, 'a'), text)
    utimesSync(join(above, folder, 'a'), 1000, 1000)
  }
  const files = filesOf(server, join(above, 'served'))
  expect(await textOf(files, '/box/a')).toBe('inner')
  expect(await namesIn(files, '/box/in')).toEqual([])
  const entry = await files.stat(at('/box/a'))
  if (entry === undefined) throw new Error('It is not there')
  renameSync(join(above, 'served/box'), join(above, 'served/away'))
  symlinkSync(join(above, 'outside'), join(above, 'served/box'))
  const read = new Response(files.read(at('/box/a'), entry, 0, entry.size)).text()
  expect(await refusalOf(read)).toMatchObject({ code: 'changed-meanwhile' })
  expect(await refusalOf(namesIn(files, '/box/in'))).toMatchObject({ code: 'not-found' })
})
