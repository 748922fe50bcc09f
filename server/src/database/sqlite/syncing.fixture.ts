import { writeSync } from 'node:fs'
import { openDatabase } from '../open.ts'
import { durable, preparedChange } from '../port.ts'
import { sqliteOf } from './open.ts'

// Run by log.test.ts under strace: commits, waits for the disk and lets the log be copied, as a server does.
const db = await openDatabase(process.argv[2] ?? '', { isServer: true, thread: { commits: 500 } })
const sample = { target: '', failures: 0, last_at: 0, blocked_until: 0 }
const insert = preparedChange(db, db.insertInto('attempt').values(sample))
const pages = () => sqliteOf(db)?.query<{ log: number }, []>('pragma wal_checkpoint(noop)').get()?.log ?? 0
writeSync(1, 'opened\n')
for (let round = 0; round < 3; round += 1) {
  for (let made = 0; made < 500; made += 1) await insert([crypto.randomUUID().repeat(8), 1, made, 0])
  while (pages() > 1000) await Bun.sleep(1)
  await Promise.all([durable(db), durable(db), durable(db)])
}
writeSync(1, 'closing\n')
await db.destroy()
