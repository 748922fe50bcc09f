import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../server/test/free-port.ts'
import { startServer } from './child-server.ts'
import { measureLoad } from './load.ts'
import { type Peer, signIn } from './peer.ts'
import { readResidentMB } from './resident-memory.ts'
import { median } from './statistics.ts'
import { toFigure, toTable } from './table.ts'
import { readTool } from './tool.ts'

/**
 * What clients that listen for changes cost a small listing, and in memory: none, 200 at rest, and 200 while a file in the
 * folder that all have open changes five times a second. `bun bench/events.ts [ROUNDS] [SECONDS]`
 */
const [rounds, seconds] = [Number(Bun.argv[2] ?? 5), Number(Bun.argv[3] ?? 2)]
const [listeners, accounts, entries] = [200, 50, 20]
/** A request may cost so many times what it costs without listeners, which may take so many megabytes. */
const [limit, mostMB] = [1.5, 60]

const program = resolve(import.meta.dir, '../bin/filestead')
const home = mkdtempSync(join(tmpdir(), 'bench-events-'))
const root = join(home, 'root')
mkdirSync(join(root, 'small'), { recursive: true })
for (let number = 0; number < entries; number += 1) writeFileSync(join(root, 'small', `file-${number}.txt`), 'x')

const database = join(home, 'filestead.db')
const account = { name: 'Filestead', user: 'admin', password: crypto.randomUUID() }
await readTool([program, 'config', 'init', '-d', database])
await readTool([program, 'users', 'add', account.user, account.password, '--perm.admin', '-d', database])
copyAccount(database)

/** The same account under other names: one may not listen so many times. */
function copyAccount(path: string): void {
  const db = new Database(path)
  const columns = (db.query('PRAGMA table_info(user)').all() as { name: string }[]).map(({ name }) => name)
  const taken = columns.map((name) => (name === 'id' ? '?1' : name === 'username' ? "'user' || ?1" : name))
  const copy = db.query(`INSERT INTO user (${columns.join(', ')}) SELECT ${taken.join(', ')} FROM user WHERE id = 1`)
  for (let id = 2; id <= accounts + 1; id += 1) copy.run(id)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

async function tokenOf(url: string, username: string): Promise<string> {
  const body = JSON.stringify({ username, password: account.password })
  const answer = await fetch(`${url}/api/login`, { method: 'POST', body })
  if (answer.status !== 200) throw new Error(`signing in as ${username} answered ${answer.status}`)
  return answer.text()
}

/** A connection that has said hello. A bare socket: what this process spends on reading would be taken from the server. */
async function listen(port: number, token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /api/events?folder=/small&folder=/ HTTP/1.1\r\nHost: localhost\r\nX-Auth: ${token}\r\n\r\n`)
  await new Promise<void>((done, fail) => {
    socket.on('data', (bytes) => void (bytes.includes('event: hello') && done()))
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the stream ended')))
  })
  return socket
}

const port = await freePort()
const url = `http://127.0.0.1:${port}`
const argv = [program, '-d', database, '-r', root, '-a', '127.0.0.1', '-p', String(port)]
const server = await startServer(argv, `${url}/health`, join(home, 'log'))
try {
  const peer: Peer = await signIn({ ...account, url })
  const tokens: string[] = []
  for (let id = 2; id <= accounts + 1; id += 1) tokens.push(await tokenOf(url, `user${id}`))
  const notes = new Set<string>()
  const measure = () => measureLoad(peer, '/api/resources/small/', seconds, notes)
  await measure()
  const samples: Record<'none' | 'rest' | 'changes', number[]> = { none: [], rest: [], changes: [] }
  const memory: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    samples.none.push(await measure())
    const before = await readResidentMB(server.pid)
    const sockets = await Promise.all(
      Array.from({ length: listeners }, (_, index) => listen(port, tokens[index % accounts] ?? '')),
    )
    samples.rest.push(await measure())
    const changing = setInterval(() => writeFileSync(join(root, 'small/file-0.txt'), String(Math.random())), 200)
    samples.changes.push(await measure())
    clearInterval(changing)
    memory.push((await readResidentMB(server.pid)) - before)
    for (const socket of sockets) socket.destroy()
  }
  const ratioOf = (own: readonly number[]) =>
    median(own.map((sample, round) => sample / (samples.none[round] ?? Number.NaN)))
  const rows = [
    ['no listener', samples.none],
    [`${listeners} at rest`, samples.rest],
    [`${listeners}, five changes a second`, samples.changes],
  ] as const
  console.log(
    toTable(
      ['small listing', 'ms', 'times'],
      rows.map(([title, own]) => [title, toFigure(median([...own])), ratioOf(own).toFixed(2)]),
      1,
    ),
  )
  for (const note of notes) console.log(note)
  const [worst, megabytes] = [Math.max(ratioOf(samples.rest), ratioOf(samples.changes)), Math.max(...memory)]
  console.log(`memory of ${listeners} listeners: ${toFigure(megabytes)} MB at most, goal ${mostMB} MB`)
  console.log(
    `${worst <= limit && megabytes <= mostMB ? 'within' : 'MISSED'}: ${worst.toFixed(2)} times, goal ${limit}`,
  )
} finally {
  await server.stop()
  await rm(home, { recursive: true, force: true })
}
