import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { TakeoverReport } from '@filestead/contract'
import { libc } from '../src/storage/linux/libc.ts'
import { openReadOnly } from '../src/takeover/bolt/file.ts'
import { modeOf } from './disk.ts'
import { oldAdmin, oldHash, oldPassword, oldSettings, oldUser, sample } from './file-browser-database.ts'
import { admin, FileBrowserFolder, home, jurgen, oldBoss, reader } from './file-browser-folder.ts'
import { freePort } from './free-port.ts'
import { askAt, launch, type RunOptions, untilHealthy } from './process.ts'

setDefaultTimeout(120_000)

describe('started with the flags of File Browser over its database', () => {
  test('users, settings and shares are the same', async () => {
    const place = new FileBrowserFolder()
    const before = place.identity()
    await using server = await place.serve()
    const said = server.running.stdout()
    expect(said.split('Filestead is serving')[0]?.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
    expect(said).toContain(`Moved over from File Browser: ${place.old}, which stays as it is.`)

    for (const who of [admin, jurgen, reader]) expect((await server.ask(who, '/api/resources/')).status).toBe(200)
    const settings = await (await server.ask(admin, '/api/settings')).json()
    const {
      key: _key,
      fileMode: _f,
      dirMode: _d,
      logoutPage: _l,
      hideDotfiles: _h,
      ...known
    } = sample.read('config').settings
    expect(settings).toEqual(known)
    const users = await (await server.ask(admin, '/api/users')).json()
    expect(users).toEqual(sample.read('users').map((user: object) => ({ ...user, password: '' })))

    const statusOf = async (path: string, headers = {}) => (await askAt(server.url, path, { headers })).status
    expect(await statusOf('/api/public/share/sFZCPi5q')).toBe(200)
    expect(await statusOf('/api/public/share/BASbOMPk')).toBe(200)
    expect(await statusOf('/api/public/share/3iZeqqqy')).toBe(401)
    expect(await statusOf('/api/public/share/3iZeqqqy', { 'x-share-password': 'open%20sesame' })).toBe(200)
    expect(await statusOf('/api/public/share/3iZeqqqy', { 'x-share-password': 'wrong' })).toBe(401)
    expect((await server.ask(admin, '/api/resources/private')).status).toBe(403)
    expect((await server.ask(admin, '/api/resources/docs/x.key')).status).toBe(403)
    expect(place.identity()).toBe(before)
    expect(modeOf(place.ours)).toBe('600')
  })

  test('a download address with a token opens, and one with another token does not', async () => {
    const place = new FileBrowserFolder()
    await using server = await place.serve()
    const bytes = readFileSync(place.old).toString('latin1')
    const token = /"hash":"3iZeqqqy".*?"token":"([^"]+)"/.exec(bytes)?.[1] ?? ''
    const statusOf = async (hash: string, token: string) =>
      (await askAt(server.url, `/api/public/dl/${hash}/a.txt?token=${token}`)).status
    expect(token.length).toBe(128)
    expect(await statusOf('3iZeqqqy', token)).toBe(200)
    expect(await statusOf('3iZeqqqy', token.slice(1))).toBe(401)
    expect((await server.ask(admin, '/api/share/3iZeqqqy', { method: 'DELETE' })).status).toBe(200)
    expect(await statusOf('3iZeqqqy', token)).toBe(404)
  })

  test('a second start imports nothing again, also after the former database is gone', async () => {
    const place = new FileBrowserFolder()
    {
      await using server = await place.serve()
      const change = { what: 'user', which: ['locale'], data: { id: 2, locale: 'fr' } }
      const answer = await server.ask(jurgen, '/api/users/2', { method: 'PUT', body: JSON.stringify(change) })
      expect(answer.status).toBe(200)
    }
    for (const isGone of [false, true]) {
      if (isGone) renameSync(place.old, join(home, 'put-away.db'))
      await using server = await place.serve()
      expect(server.running.stdout()).not.toContain('Moved over')
      expect(await (await server.ask(jurgen, '/api/users/2')).json()).toMatchObject({ locale: 'fr' })
      expect(existsSync(place.old)).toBe(!isGone)
    }
  })

  test('the environment, the former config file and the folder name the database too', async () => {
    const ways: [string[], RunOptions, string?][] = [
      [['-r', 'srv'], { env: { FB_DATABASE: 'filebrowser.db' } }],
      [['-c', 'settings.json'], {}, '{"database": "filebrowser.db", "root": "srv", "address": "127.0.0.1"}'],
      [['-r', 'srv'], {}],
    ]
    for (const [words, options, file] of ways) {
      const place = new FileBrowserFolder()
      if (file !== undefined) writeFileSync(join(place.folder, 'settings.json'), file)
      await using server = await place.serve(words, options)
      expect((await server.ask(reader, '/api/resources/')).status).toBe(200)
      expect(existsSync(place.ours)).toBe(true)
    }
  })

  test('the server settings in the former database apply where no nearer option is given', async () => {
    const folder = new FileBrowserFolder().root
    const place = new FileBrowserFolder({ server: { root: folder, baseURL: '/fb', address: '127.0.0.1' } })
    const port = await freePort()
    await using running = launch(['-d', place.old, '-p', String(port)], { cwd: home })
    await untilHealthy(`http://127.0.0.1:${port}/fb`, running)
    expect(running.stdout()).toContain(`Filestead is serving ${folder}\n  at http://127.0.0.1:${port}/fb/`)
  })

  test('an empty address listens on all IPv4 and IPv6 addresses', async () => {
    const place = new FileBrowserFolder({ server: { address: '' } })
    await using server = await place.serve()
    const { port } = new URL(server.url)
    const own = Object.values(networkInterfaces()).flatMap((all) => all?.filter(({ internal }) => internal) ?? [])
    for (const { address, family } of own)
      expect((await askAt(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, '/health')).status).toBe(
        200,
      )
    expect(server.running.stdout()).toMatch(/ at http:\/\/(\[::\]|0\.0\.0\.0):\d+\/\n/)
  })

  test('the former database is not served by any later start', async () => {
    const place = new FileBrowserFolder()
    const inside = join(place.root, 'filebrowser.db')
    renameSync(place.old, inside)
    for (const database of [inside, join(place.root, 'filestead.db')]) {
      await using server = await place.serve(['-d', database, '-r', place.root])
      const { items } = (await (await server.ask(admin, '/api/resources/')).json()) as { items: { name: string }[] }
      expect(items.map(({ name }) => name)).toEqual(['docs', 'team'])
      expect((await server.ask(admin, '/api/raw/filebrowser.db')).status).toBe(404)
    }
  })

  test('commands and hooks wait for confirmation, with any former flags', async () => {
    const mark = join(home, 'hook-ran')
    const settings = oldSettings({ commands: { after_upload: [`touch ${mark}`] } })
    const place = new FileBrowserFolder({ settings, server: { enableExec: true } })
    const upload = async () => {
      await using server = await place.serve(['-d', place.old, '-r', place.root, '--disableExec=false'])
      const address = `/api/resources/${crypto.randomUUID()}.txt`
      expect((await server.ask(oldBoss, address, { method: 'POST', body: 'x' })).status).toBe(200)
      await server.running[Symbol.asyncDispose]()
      return (await server.running.ended).stderr
    }
    expect(await upload()).toContain('Commands and hooks came from File Browser and stay off')
    expect(existsSync(mark)).toBe(false)
    expect((await place.run(['config', 'set', '--disableExec=false', '-d', place.old])).code).toBe(0)
    expect(await upload()).not.toContain('stay off')
    expect(existsSync(mark)).toBe(true)
  })
})

describe('obstacles', () => {
  const refusal = async (place: FileBrowserFolder, words = ['-d', place.old, '-r', place.root]) => {
    const before = [place.identity(), readdirSync(place.folder)]
    const { code, stdout, stderr } = await place.run(words)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect([place.identity(), readdirSync(place.folder)]).toEqual(before)
    return stderr
  }

  test('a running File Browser that holds its database is reported, and nothing is written', async () => {
    const place = new FileBrowserFolder()
    const fd = openSync(place.old, 'r+')
    const exclusive = 2
    expect(libc.flock(fd, exclusive)).toBe(0)
    expect(await refusal(place)).toBe(
      `Error: ${place.old} is in use: stop File Browser first, it still holds its database\n`,
    )
    expect(await refusal(place, ['takeover', '--from', place.old])).toContain('stop File Browser first')
    closeSync(fd)
    expect((await place.run(['takeover', '--from', place.old])).code).toBe(0)
  })

  test('File Browser cannot start to write while its database is read', () => {
    const place = new FileBrowserFolder()
    const opened = openReadOnly(place.old)
    const fd = openSync(place.old, 'r+')
    const exclusiveWithoutWaiting = 6
    expect(libc.flock(fd, exclusiveWithoutWaiting)).toBe(-1)
    opened.close()
    expect(libc.flock(fd, exclusiveWithoutWaiting)).toBe(0)
    closeSync(fd)
  })

  test('a damaged database is refused in one line with the cause and the file', async () => {
    const place = new FileBrowserFolder()
    writeFileSync(place.old, readFileSync(place.old).subarray(0, 30_000))
    expect(await refusal(place)).toMatch(/^Error: \S+filebrowser\.db is damaged: it ends after 30000 bytes[^\n]*\n$/)
  })

  test('a missing served folder is reported before anything is created', async () => {
    const gone = join(home, 'gone')
    const place = new FileBrowserFolder({ server: { root: gone } })
    expect(await refusal(place, ['-d', place.old])).toStartWith(`Error: Cannot serve ${gone}: it does not exist. `)
  })

  test('another Filestead database beside it is not taken for its successor', async () => {
    const place = new FileBrowserFolder()
    expect((await place.run(['config', 'init', '-d', place.ours])).code).toBe(0)
    expect(await refusal(place)).toContain('was not made from it')
    expect((await place.run(['takeover', '--from', place.old])).stderr).toContain('needs a new one')
  })

  test('no command creates an empty database beside one that was not taken over, and all find the new one afterwards', async () => {
    const place = new FileBrowserFolder()
    for (const words of ['users ls', 'config cat', 'config init', 'config set --signup', 'rules ls'])
      expect(await refusal(place, [...words.split(' '), '-d', place.old])).toContain('has not been taken over yet')
    expect((await place.run(['takeover'])).code).toBe(0)
    const { code, stdout, stderr } = await place.run(['users', 'ls', '-d', place.old])
    expect(code).toBe(0)
    expect(stdout).toContain('jürgen')
    expect(stderr).toContain(`Using database: ${place.ours}`)
    expect((await place.run(['takeover'])).stderr).toContain('have been taken over already')
  })
})

describe('the takeover report', () => {
  test('waits for the first administrator, and is shown until it was read', async () => {
    const place = new FileBrowserFolder()
    await using server = await place.serve()
    const statusOf = async (who: typeof admin, method = 'GET') =>
      (await server.ask(who, '/api/takeover', { method })).status
    expect(await statusOf(jurgen)).toBe(403)
    expect(await statusOf(jurgen, 'DELETE')).toBe(403)
    const report = TakeoverReport.parse(await (await server.ask(admin, '/api/takeover')).json())
    expect(report).toMatchObject({ from: place.old, taken: { users: 3, shares: 3 } })
    expect([await statusOf(admin), await statusOf(admin, 'DELETE'), await statusOf(admin)]).toEqual([200, 204, 204])
  })
})

test('a user with a weak password in the former database can sign in, and the shares of that user open', async () => {
  const shares = [{ hash: 'theirs', path: '/', userID: 2, expire: 0, password_hash: oldHash, token: '' }]
  const place = new FileBrowserFolder({ users: [oldAdmin, oldUser(2, 'two', { scope: '/team' })], shares })
  writeFileSync(join(place.root, 'team/t.txt'), 'team')
  await using server = await place.serve()
  expect((await server.ask({ username: 'two', password: oldPassword }, '/api/resources/t.txt')).status).toBe(200)
  const headers = { 'x-share-password': encodeURIComponent(oldPassword) }
  const answer = await askAt(server.url, '/api/public/share/theirs', { headers })
  expect(((await answer.json()) as { items: { name: string }[] }).items.map(({ name }) => name)).toEqual(['t.txt'])
})
