import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { sample } from './file-browser-database.ts'
import { freePort } from './free-port.ts'
import { headOf, type Line, openLine } from './line.ts'
import {
  admin,
  askAs,
  askAt,
  initialise,
  launch,
  launcher,
  run,
  serve,
  signIn,
  until,
  untilHealthy,
} from './process.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('serving')

describe('when the server cannot listen', () => {
  let other: Server
  let taken: number
  beforeAll(async () => {
    other = createServer()
    taken = await new Promise((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port))
    })
  })
  afterAll(() => void other.close())

  test('nothing is created and no password is printed, so that the next start is the first one', async () => {
    const place = join(folder, 'taken')
    mkdirSync(place)
    const words = ['-d', join(place, 'filestead.db'), '-r', place]
    const { code, stdout, stderr } = await run([...words, '-p', String(taken)])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toStartWith(
      `Error: Cannot listen on 127.0.0.1 port ${taken}: the port is in use. Choose another one with --port`,
    )
    expect(readdirSync(place)).toEqual([])
    const port = await freePort()
    await using running = launch([...words, '-p', String(port)])
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    expect(running.stdout()).toContain('generated password:')
  })

  test('no database of File Browser is taken over', async () => {
    const place = join(folder, 'taken-old')
    mkdirSync(place)
    copyFileSync(sample.database, join(place, 'filebrowser.db'))
    const { code, stderr } = await run(['-r', place, '-p', String(taken)], { cwd: place })
    expect([code, stderr]).toEqual([1, expect.stringContaining('the port is in use')])
    expect(readdirSync(place)).toEqual(['filebrowser.db'])
  })

  test('the message names a socket as a socket', async () => {
    const socket = join(folder, 'own.sock')
    const database = join(folder, 'socket.db')
    await initialise(database)
    await using running = launch(['-d', database, '-r', folder, '--socket', socket])
    await until(() => existsSync(socket))
    const { code, stderr } = await run(['-d', join(folder, 'second.db'), '-r', folder, '--socket', socket])
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Cannot listen on the socket ${socket}: another server`),
    ])
    const nowhere = await run(['-d', database, '-r', folder, '--socket', join(folder, 'none/own.sock')])
    expect(nowhere.stderr).toContain('there is no such folder')
    expect(running.pid).toBeGreaterThan(0)
  })

  test('the folder where a database cannot be created is reported', async () => {
    const env = { XDG_STATE_HOME: '/proc/none' }
    const port = String(await freePort())
    for (const words of [
      ['-p', port],
      ['config', 'init'],
    ]) {
      const { code, stderr } = await run(words, { cwd: folder, env })
      expect([words, code, stderr]).toEqual([
        words,
        1,
        expect.stringMatching(/^Error: .* cannot be made: .*--database\.\n$/),
      ])
    }
  })
})

test('SIGHUP reopens the log, and SIGHUP, SIGUSR1 and SIGUSR2 do not end the server', async () => {
  const place = join(folder, 'signals')
  mkdirSync(place)
  const [database, log] = [join(place, 'own.db'), join(place, 'server.log')]
  await initialise(database)
  await using running = await serve(['-d', database, '-r', place, '--log', log])
  const { url } = running
  const refused = async () => (await askAt(url, '/api/resources/')).status
  expect(await refused()).toBe(401)
  const inLog = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  await until(() => inLog(log).includes('"status":401'))
  const before = inLog(log)
  expect(before).toContain('"status":401')
  renameSync(log, `${log}.1`)
  running.signal('SIGUSR1')
  running.signal('SIGUSR2')
  running.signal('SIGHUP')
  // A request during the change of files may still be logged in the old one.
  let asked = 1
  await until(async () => {
    expect(await refused()).toBe(401)
    asked += 1
    return inLog(log).includes('"status":401')
  })
  const refusals = () => (inLog(`${log}.1`) + inLog(log)).split('"status":401').length - 1
  await until(() => refusals() === asked)
  expect(refusals()).toBe(asked)
  expect(inLog(`${log}.1`)).toStartWith(before)
  expect(inLog(log)).toContain('"status":401')
  running.signal('SIGTERM')
  expect((await running.ended).code).toBe(0)
})

test('SIGHUP, SIGUSR1 and SIGUSR2 do not end a server that is starting', async () => {
  const place = join(folder, 'early-signals')
  mkdirSync(place)
  const [database, config] = [join(place, 'own.db'), join(place, 'pipe.json')]
  await initialise(database)
  // Reading it holds the start up until the other end writes.
  expect(Bun.spawnSync(['mkfifo', config]).exitCode).toBe(0)
  const port = await freePort()
  await using running = launch(['-c', config, '-d', database, '-r', place, '-p', String(port)])
  const pipe = await Promise.race([open(config, 'w'), running.ended])
  if (!('writeFile' in pipe)) throw new Error(pipe.stderr)
  for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) running.signal(signal)
  await pipe.writeFile('{}')
  await pipe.close()
  await untilHealthy(`http://127.0.0.1:${port}`, running)
  running.signal('SIGTERM')
  expect((await running.ended).code).toBe(0)
})

const isRoot = process.getuid?.() === 0 && Bun.which('setpriv') !== null

test.if(isRoot)(
  'a served folder without write access is reported at the start, and the log has the cause',
  async () => {
    const place = join(folder, 'closed')
    const [root, data] = [join(place, 'root'), join(place, 'data')]
    mkdirSync(root, { recursive: true })
    mkdirSync(data)
    for (const path of [folder, place, root]) chmodSync(path, 0o755)
    chmodSync(data, 0o777)
    const asNobody = (...words: string[]) => [
      '--reuid=31337',
      '--regid=31337',
      '--clear-groups',
      '--',
      launcher,
      ...words,
    ]
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const database = join(data, 'own.db')
    await initialise(database)
    chmodSync(database, 0o666)
    const words = ['-d', database, '-r', root, '-p', String(port)]
    {
      await using running = launch(asNobody(...words), { command: 'setpriv' })
      await untilHealthy(url, running)
      const ask = askAs(url, await signIn(url, admin))
      expect((await ask('/api/resources/new.txt', { method: 'POST', body: 'x' })).status).toBe(403)
      running.signal('SIGTERM')
      const { stdout, stderr } = await running.ended
      expect(stderr).toContain(`Warning: Account 31337 may read ${root} but not change it`)
      expect(stdout).toContain('"errno":"EACCES","account":"31337"')
    }
    await using readOnly = launch(asNobody(...words, '--readOnly'), { command: 'setpriv' })
    await untilHealthy(url, readOnly)
    readOnly.signal('SIGTERM')
    expect((await readOnly.ended).stderr).not.toContain('may read')
  },
)

test.if(isRoot)('a database of another account is reported with both names in one line', async () => {
  const place = join(folder, 'of-root')
  mkdirSync(place)
  chmodSync(folder, 0o755)
  const database = join(place, 'own.db')
  await initialise(database)
  chmodSync(place, 0o755)
  chmodSync(database, 0o600)
  const words = [
    '--reuid=31337',
    '--regid=31337',
    '--clear-groups',
    '--',
    launcher,
    '-d',
    database,
    '-r',
    place,
    '-p',
    '0',
  ]
  const { code, stderr } = await run(words, { command: 'setpriv' })
  expect([code, stderr]).toEqual([
    1,
    `Error: Account 31337 may not read the database ${database}, which belongs to root. Start as that account, or give the file to this one.\n`,
  ])
})

test.if(isRoot)(
  'a command of an account that may not enter the folder of the database does not call it missing',
  async () => {
    const place = join(folder, 'not-entered')
    mkdirSync(place, { mode: 0o700 })
    chmodSync(folder, 0o755)
    const database = join(place, 'own.db')
    await initialise(database)
    const message = `Error: Account 31337 may not enter ${place}, where the database ${database} is looked for. Run the command as account root, or name another file with --database.\n`
    const asOther = ['--reuid=31337', '--regid=31337', '--clear-groups', '--', launcher]
    for (const words of [
      ['users', 'ls'],
      ['users', 'passwd', 'boss', '-'],
      ['backup', join(folder, 'x.tar.gz')],
    ]) {
      const { code, stderr } = await run([...asOther, ...words, '-d', database], { command: 'setpriv' })
      expect([code, stderr]).toEqual([1, message])
    }
  },
)

test('a log that cannot be written is reported in one line, and nothing is created', async () => {
  const place = join(folder, 'no-log')
  mkdirSync(place)
  writeFileSync(join(place, 'file'), '')
  const words = ['-d', join(place, 'own.db'), '-r', place, '-p', '0', '--log']
  for (const [log, reason] of [
    [place, 'it is a folder'],
    [join(place, 'file/server.log'), 'what it names as a folder is none'],
  ] as const) {
    const { code, stderr } = await run([...words, log])
    expect([code, stderr]).toEqual([1, `Error: Cannot write the log ${log}: ${reason}. Name another file with --log\n`])
  }
  expect(readdirSync(place)).toEqual(['file'])
})

test('the health check reports the answer of a server below another base URL', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('no', { status: 404 }) })
  const { code, stderr } = await run(['health', '-d', join(folder, 'nothing.db'), '-p', String(server.port)])
  await server.stop(true)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/\/health answers 404, .* is --baseURL/)])
})

test.if(Bun.which('prlimit') !== null)('a server without a free descriptor refuses requests and recovers', async () => {
  const limit = 96
  const place = join(folder, 'descriptors')
  mkdirSync(place)
  const database = join(place, 'own.db')
  await initialise(database)
  writeFileSync(join(place, 'file.txt'), 'content')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const words = [`--nofile=${limit}:${limit}`, '--', launcher, '-d', database, '-r', place, '-p', String(port)]
  await using running = launch(words, { command: 'prlimit' })
  await untilHealthy(url, running)
  const token = await signIn(url, admin)

  const early = await openLine(url)
  await early.send(headOf('GET', '/health', {}))
  expect(await early.status).toBe(200)
  const answers = textFrom(early.socket)
  const half: Line[] = []
  for (let count = 0; count < 2 * limit; count += 1) {
    const line = await openLine(url)
    await line.send('GET /api/resources/ HTTP/1.1\r\nhost: half\r\n')
    half.push(line)
  }
  // Asked again and again, so that every timer of the server comes round meanwhile.
  for (let count = 0; count < 20; count += 1) {
    await early.send(headOf('GET', '/static/manifest.json', { accept: 'application/json' }))
    await until(() => answers().split('HTTP/1.1 ').length === count + 2)
    await Bun.sleep(25)
  }
  expect(answers()).toContain('HTTP/1.1 503 ')
  expect(answers()).toContain('Too many files are open')
  expect(answers()).not.toContain('has not been built')
  for (const line of [...half, early]) line.reset()
  await untilHealthy(url, running)
  expect(await (await askAs(url, token)('/api/raw/file.txt')).text()).toBe('content')
})

test.if(Bun.which('prlimit') !== null)(
  'downloads for which no descriptor is free are refused with 503, and no other is mixed up with one',
  async () => {
    const limit = 128
    const place = join(folder, 'downloads')
    mkdirSync(place)
    const database = join(place, 'own.db')
    await initialise(database)
    const contentOf = (index: number) => `${index} `.repeat(60_000)
    for (let index = 0; index < 20; index += 1) writeFileSync(join(place, `${index}.txt`), contentOf(index))
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const words = [`--nofile=${limit}:${limit}`, '--', launcher, '-d', database, '-r', place, '-p', String(port)]
    await using running = launch(words, { command: 'prlimit' })
    await untilHealthy(url, running)
    const ask = askAs(url, await signIn(url, admin))
    const download = async (index: number): Promise<string> => {
      const answer = await ask(`/api/raw/${index}.txt`).catch(() => undefined)
      // A connection that ended while it was used again is no answer to this one.
      if (answer === undefined) return 'lost'
      const text = await answer.text()
      return answer.status === 200 && text === contentOf(index) ? 'whole' : String(answer.status)
    }
    const outcomes = new Set<string>()
    // A server that is fast beside its client sends one file after the other, until it is not.
    for (let round = 0; round < 2 || (round < 20 && !outcomes.has('503')); round += 1) {
      const all = Array.from({ length: 600 }, (_, index) => download(index % 20))
      for (const outcome of await Promise.all(all)) outcomes.add(outcome)
    }
    outcomes.delete('lost')
    expect([...outcomes].sort()).toEqual(['503', 'whole'])
  },
)

function textFrom(socket: Line['socket']): () => string {
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  return () => text
}
