import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refusalOf } from '../testing/subject.fixture.ts'
import { hostKeyOf, openSftp } from './files.ts'
import { openedKey } from './keys.ts'
import { startLine } from './line.fixture.ts'
import { startOwnServer } from './own-server.fixture.ts'
import { at, atTheEnd, emptyFolder, filesOf, namesIn, pieces, startServer, textOf } from './servers.fixture.ts'
import { hasSshd, makeKey, startSshd } from './sshd.fixture.ts'

const server = await startServer()
atTheEnd(() => server.stop())

async function lineTo(port: number) {
  const line = await startLine(port)
  atTheEnd(() => line.stop())
  return line
}

test('the host key is told as ssh-keygen writes it', async () => {
  expect(server.hostKey).toStartWith('SHA256:')
  expect(await hostKeyOf('127.0.0.1', server.port)).toBe(server.hostKey)
})

test('a server whose key was not confirmed is told its key, and nothing else', async () => {
  const address = { ...server.address(emptyFolder()), hostKey: '' }
  const files = filesOf(server, '', { address })
  const sentence = await files.probe()
  expect(sentence).toContain(`is not confirmed. It is ${server.hostKey}`)
  expect(await refusalOf(files.stat(at('/')))).toMatchObject({ code: 'unavailable' })
})

test('a server whose key has changed is refused loudly, with both keys', async () => {
  const hostKey = `SHA256:${'A'.repeat(43)}`
  const sentence = await filesOf(server, '', { address: { ...server.address(emptyFolder()), hostKey } }).probe()
  expect(sentence).toContain('IS ANOTHER ONE')
  expect(sentence).toContain(hostKey)
  expect(sentence).toContain(server.hostKey)
})

test.if(hasSshd)('any key of the server may be the one that was confirmed', async () => {
  const { rsaKey = '' } = server
  expect(rsaKey).not.toBe(server.hostKey)
  const address = { ...server.address(emptyFolder()), hostKey: rsaKey }
  expect(await filesOf(server, '', { address }).probe()).toBeUndefined()
})

test('a wrong key, a wrong user and a wrong passphrase are told, without what was tried', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-keys-'))
  atTheEnd(() => rmSync(folder, { recursive: true }))
  const own = await startOwnServer()
  atTheEnd(() => own.stop())
  const wrongPassword = filesOf(own, emptyFolder(), { keys: async () => ({ password: 'not this one' }) })
  expect(await wrongPassword.probe()).toContain('does not let "tester" in by this password')
  expect(JSON.stringify(await refusalOf(wrongPassword.stat(at('/'))))).not.toContain('not this one')
  if (!hasSshd) return
  const { file } = makeKey(folder, 'other', 'ed25519')
  const privateKey = readFileSync(file, 'utf8')
  const address = server.address(emptyFolder())
  const wrongKey = filesOf(server, '', { address, keys: async () => ({ privateKey }) })
  expect(await wrongKey.probe()).toContain('in by this key')
  const wrongUser = filesOf(server, '', { address: { ...address, user: 'no such user' } })
  expect(await wrongUser.probe()).toContain('does not let "no such user" in')
  const damaged = filesOf(server, '', { address, keys: async () => ({ privateKey: privateKey.slice(0, 90) }) })
  expect(await damaged.probe()).toContain('The private key cannot be read')
})

test.each(['ed25519', 'ecdsa', 'rsa'])(
  'a key of the kind %s with a passphrase is opened beside the event loop',
  async (kind) => {
    const file = join(emptyFolder(), 'key')
    Bun.spawnSync(['ssh-keygen', '-q', '-a', '8', '-t', kind, '-N', 'open sesame', '-C', 'a comment', '-f', file])
    const locked = readFileSync(file, 'utf8')
    const { utils } = await import('ssh2')
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
    }, 1)
    const key = await openedKey(utils, locked, 'open sesame')
    clearInterval(turning)
    expect(turns).toBeGreaterThan(0)
    const shown = utils.parseKey(readFileSync(`${file}.pub`, 'utf8'))
    if (key === undefined || shown instanceof Error) throw new Error('The key was not read')
    const text = Buffer.from('to be signed')
    expect(shown.verify(text, key.sign(text) as Buffer)).toBe(true)
    expect(await openedKey(utils, locked, 'open barley')).toBeUndefined()
  },
)

test.if(hasSshd)('a key with a passphrase opens, and not with another one', async () => {
  const locked = await startSshd({ passphrase: 'open sesame' })
  atTheEnd(() => locked.stop())
  expect(await filesOf(locked, emptyFolder()).probe()).toBeUndefined()
  const wrong = { ...locked.keys, passphrase: 'open barley' }
  const sentence = await filesOf(locked, emptyFolder(), { keys: async () => wrong }).probe()
  expect(sentence).toContain('its passphrase is missing or wrong')
  expect(sentence).not.toContain('barley')
})

test('keys that were replaced are asked for again', async () => {
  let asked = 0
  const keys = async () => {
    asked += 1
    return asked === 1 ? { password: 'the old one' } : server.keys
  }
  expect(await filesOf(server, emptyFolder(), { keys }).probe()).toBeUndefined()
})

test('a server that cannot be reached, and one that accepts and says nothing, are away soon', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  atTheEnd(() => void silent.close())
  const { port } = silent.address() as { port: number }
  const address = { ...server.address('/'), port }
  const files = filesOf(server, '', { address, patience: 200 })
  expect(await refusalOf(files.stat(at('/a')))).toMatchObject({ code: 'unavailable' })
  expect(await files.probe()).toContain('does not answer')
  expect(await refusalOf(hostKeyOf('127.0.0.1', port, 200))).toMatchObject({ code: 'unavailable' })
  const none = filesOf(server, '', { address: { ...address, port: 1 } })
  expect(await none.probe()).toContain('cannot be reached')
})

test('a server that falls silent fails what is under way, and is asked again by a new connection', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'a'), 'content')
  const line = await lineTo(server.port)
  const address = { ...server.address(folder), port: line.port }
  const files = filesOf(server, '', { address, patience: 1500 })
  expect(await textOf(files, '/a')).toBe('content')
  line.hang()
  const outcomes = await Promise.all([refusalOf(files.stat(at('/a'))), refusalOf(namesIn(files, '/'))])
  for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 'unavailable' })
})

test('a connection that was cut is made anew by the next request', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'a'), 'content')
  const line = await lineTo(server.port)
  const files = filesOf(server, '', { address: { ...server.address(folder), port: line.port } })
  for (let round = 0; round < 3; round += 1) {
    expect(await textOf(files, '/a')).toBe('content')
    line.cutNow()
    // Whether the end of the connection was heard of before the request is a matter of luck.
    await files.stat(at('/a')).catch(() => {})
  }
  expect(await textOf(files, '/a')).toBe('content')
})

test('tries after a refusal are held back, and fail at once meanwhile', async () => {
  let asked = 0
  const keys = async () => {
    asked += 1
    return { password: 'wrong' }
  }
  const files = openSftp({ address: server.address('/'), keys, firstPause: 60_000 })
  for (let round = 0; round < 5; round += 1)
    expect(await refusalOf(files.stat(at('/')))).toMatchObject({ code: 'unavailable' })
  // Once for the try, once to see whether they were replaced.
  expect(asked).toBe(2)
  files.close()
})

test('names that are not UTF-8 are told apart, read and removed by their exact names', async () => {
  if (!hasSshd) return
  const folder = emptyFolder()
  for (const byte of [0xe9, 0xe8])
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([byte])]), `byte ${byte}`)
  const files = filesOf(server, folder)
  const found = []
  for await (const page of files.list(at('/'))) found.push(...page)
  expect(found.map(({ name }) => name)).toEqual(['caf\ufffd', 'caf\ufffd'])
  const contents = []
  for (const { exact = '' } of found) {
    const path = `/${exact}` as ReturnType<typeof at>
    const entry = await files.stat(path)
    if (entry === undefined) throw new Error('It is not found by its exact name')
    contents.push(await new Response(files.read(path, entry, 0, entry.size)).text())
    await files.removeFile(path)
  }
  expect(contents.sort()).toEqual(['byte 232', 'byte 233'])
  expect(readdirSync(folder)).toEqual([])
})

test('a folder in which nothing can be written is told by the probe', async () => {
  // Even root cannot make a file there.
  const files = filesOf(server, '/proc')
  if (hasSshd) expect(await files.probe()).toContain('can be reached, but not used')
  expect(await filesOf(server, '/proc', { isReadOnly: true }).probe()).toBeUndefined()
  expect(await refusalOf(files.write(at('/a'), pieces('x'), { precondition: 'absent' }))).toBeDefined()
})
