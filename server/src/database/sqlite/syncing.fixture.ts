import { writeSync } from 'node:fs'
import { openDatabase } from '../open.ts'
import { durable, preparedChange } from '../port.ts'
import { sqliteOf } from './open.ts'

// Run by log.test.ts under strace: commits, waits for the disk and lets the log be copied, as a server does, while another
// process makes checkpoints of the whole log, as a second server does.
const file = process.argv[2] ?? ''
const db = await openDatabase(file, { isServer: true, thread: { commits: 500, seconds: 0.1 } })
const checkpoint = `
  const { Database } = require('bun:sqlite')
  const db = new Database(${JSON.stringify(file)})
  db.run('pragma busy_timeout = 5000')
  db.run("update counter set value = value + 1 where name = 'probe'")
  db.run('pragma wal_checkpoint(restart)')`
const sample = { target: '', failures: 0, last_at: 0, blocked_until: 0 }
const insert = preparedChange(db, db.insertInto('attempt').values(sample))
const pages = () => sqliteOf(db)?.query<{ log: number }, []>('pragma wal_checkpoint(noop)').get()?.log ?? 0
writeSync(1, 'opened\n')
for (let round = 0; round < 3; round += 1) {
  for (let made = 0; made < 500; made += 1) await insert([crypto.randomUUID().repeat(8), 1, made, 0])
  while (pages() > 1000) await Bun.sleep(1)
  await Promise.all([durable(db), durable(db), durable(db)])
  await Bun.spawn([process.execPath, '-e', checkpoint], { stdout: 'ignore', stderr: 'inherit' }).exited
  await insert([crypto.randomUUID(), 1, round, 0])
}
writeSync(1, 'closing\n')
await db.destroy()
