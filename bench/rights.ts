import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../server/test/free-port.ts'
import { startServer } from './child-server.ts'
import { measureLoad } from './load.ts'
import { askText, type Peer, signIn } from './peer.ts'
import { median } from './statistics.ts'
import { toFigure, toTable } from './table.ts'
import { readTool } from './tool.ts'

/**
 * What rights per folder cost a small listing: an installation without grants against some with very many users, groups
 * and grants, alternating in one run. `bun bench/rights.ts [ROUNDS] [SECONDS]`
 */
const [rounds, seconds] = [Number(Bun.argv[2] ?? 7), Number(Bun.argv[3] ?? 2)]
const sizes = { users: 10_000, groups: 1_000, grants: 50_000, entries: 20 }
/** A request may cost so many times what it costs without grants. */
const limit = 1.2
const everything = 63

const program = resolve(import.meta.dir, '../bin/filestead')
const home = mkdtempSync(join(tmpdir(), 'bench-rights-'))
const [root, second] = [join(home, 'root'), join(home, 'second')]
for (const folder of [join(root, 'small'), join(second, 'small')]) {
  mkdirSync(folder, { recursive: true })
  for (let number = 0; number < sizes.entries; number += 1) writeFileSync(join(folder, `file-${number}.txt`), 'x')
}

interface Case {
  readonly title: string
  readonly path: string
  readonly entries: number
  readonly isFilled?: boolean
  readonly hasSecond?: boolean
  readonly hides?: string
}

const cases: readonly Case[] = [
  { title: 'no grants', path: '/small/', entries: sizes.entries },
  { title: 'no grants, again', path: '/small/', entries: sizes.entries },
  { title: '50,000 grants', path: '/small/', entries: sizes.entries, isFilled: true },
  {
    title: 'and a hidden name',
    path: '/small/',
    entries: sizes.entries - 1,
    isFilled: true,
    hides: '/small/file-3.txt',
  },
  { title: 'and a second mount', path: '/Second/small/', entries: sizes.entries, isFilled: true, hasSecond: true },
]

/** Rows as the server would have written them; the account is the first one, in every fiftieth group. */
function fill(path: string, { hasSecond = false, hides }: Case): void {
  const db = new Database(path)
  db.run('PRAGMA synchronous = off')
  db.transaction(() => {
    const columns = (db.query('PRAGMA table_info(user)').all() as { name: string }[]).map(({ name }) => name)
    const taken = columns.map((name) => (name === 'id' ? '?1' : name === 'username' ? "'user' || ?1" : name))
    const user = db.query(`INSERT INTO user (${columns.join(', ')}) SELECT ${taken.join(', ')} FROM user WHERE id = 1`)
    for (let id = 2; id <= sizes.users; id += 1) user.run(id)
    const group = db.query("INSERT INTO circle (id, name, source) VALUES (?1, 'group ' || ?1, 'local')")
    const member = db.query('INSERT INTO member (user_id, circle_id) VALUES (?, ?)')
    for (let id = 1; id <= sizes.groups; id += 1) {
      group.run(id)
      for (let number = 0; number < 20; number += 1) member.run(1 + ((id + number * 50) % sizes.users), id)
      if (id % 50 === 0) member.run(1, id)
    }
    const grant = db.query('INSERT INTO "grant" (id, subject, location, rights) VALUES (?, ?, ?, ?)')
    for (let id = 1; id <= sizes.grants; id += 1) {
      const subject = id % 2 === 0 ? `user:${1 + ((id / 2) % sizes.users)}` : `group:${1 + (id % sizes.groups)}`
      const folder = `/team-${id % 500}/project-${id % 97}/part-${id}`
      grant.run(id, subject, hasSecond && id % 3 === 0 ? `2:${folder}` : folder, id % 7 === 0 ? 1 : everything)
    }
    if (hides !== undefined) grant.run(sizes.grants + 1, 'user:1', hides, 0)
    if (hasSecond) {
      const mount = 'INSERT INTO mount (id, name, folder, links, read_only, source) VALUES (2, ?, ?, ?, 0, ?)'
      db.query(mount).run('Second', second, 'inside', 'stored')
      grant.run(sizes.grants + 2, 'everybody', '2:/small', everything)
    }
    const counters = ['access', 'mount', 'circle', 'grant']
    const counter = db.query('INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)')
    for (const name of counters) counter.run(name, sizes.grants + 10)
  })()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

async function start(wanted: Case, index: number): Promise<{ peer: Peer; stop(): Promise<void> }> {
  const database = join(home, `${index}.db`)
  const account = { name: wanted.title, user: 'admin', password: crypto.randomUUID() }
  await readTool([program, 'config', 'init', '-d', database])
  await readTool([program, 'users', 'add', account.user, account.password, '--perm.admin', '-d', database])
  if (wanted.isFilled === true) fill(database, wanted)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const argv = [program, '-d', database, '-r', root, '-a', '127.0.0.1', '-p', String(port)]
  const { stop } = await startServer(argv, `${url}/health`, join(home, `${index}.log`))
  return { peer: await signIn({ ...account, url }), stop }
}

const running: { peer: Peer; stop(): Promise<void> }[] = []
try {
  for (const [index, wanted] of cases.entries()) {
    const server = await start(wanted, index)
    running.push(server)
    const { items } = JSON.parse(await askText(server.peer, `/api/resources${wanted.path}`)) as { items: unknown[] }
    if (items.length !== wanted.entries) throw new Error(`${wanted.title}: ${items.length} entries were listed`)
  }
  const notes = new Set<string>()
  const samples: number[][] = cases.map(() => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { path }] of cases.entries()) {
      const { peer } = running[index] as { peer: Peer }
      samples[index]?.push(await measureLoad(peer, `/api/resources${path}`, seconds, notes))
    }
  const ratios = samples.map((own) => median(own.map((sample, round) => sample / (samples[0]?.[round] ?? Number.NaN))))
  const rows = cases.map(({ title }, index) => {
    const [sample, ratio] = [median(samples[index] ?? []), ratios[index] ?? Number.NaN]
    return [title, toFigure(sample), ratio.toFixed(2), ratio <= limit ? 'yes' : 'no']
  })
  console.log(toTable(['small listing', 'ms', 'times', `at most ${limit}`], rows, 1))
  for (const note of notes) console.log(note)
} finally {
  for (const { stop } of running) await stop()
  await rm(home, { recursive: true, force: true })
}
