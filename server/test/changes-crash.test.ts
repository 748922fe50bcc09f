import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonIn, statusOf } from './answers.ts'
import { breakWrites, mendWrites } from './broken-writes.ts'
import { inDatabase } from './database.ts'
import { askAt, type Program, startProgram } from './process.ts'

setDefaultTimeout(120_000)

let program: Program
beforeAll(async () => {
  program = await startProgram()
})
afterAll(() => program?.end())

const share = async (path: string) =>
  (await jsonIn<{ hash: string }>(program.ask(`/api/share${path}`, { method: 'POST', body: '{}' }))).hash
const move = (from: string, to: string) =>
  statusOf(program.ask(`/api/resources${from}?action=rename&destination=${to}`, { method: 'PATCH' }))
const shown = async (hash: string) => {
  const response = await askAt(program.url, `/api/public/dl/${hash}`)
  return response.ok ? response.text() : response.status
}

const intents = () =>
  inDatabase(program.database, async (db) => (await db.selectFrom('change').select('id').execute()).length)

/** Waits until changes of the killed server are finished or undone; until then, a link shows its file or nothing. */
async function recovered(hash: string): Promise<void> {
  const deadline = Date.now() + 20_000
  while ((await intents()) > 0) {
    expect(await shown(hash)).toBeOneOf([404, 'mine'])
    if (Date.now() > deadline) throw new Error('The change was never settled')
    await Bun.sleep(10)
  }
}

test('a share follows its file after a crash between the move and its record', async () => {
  writeFileSync(join(program.root, 'a'), 'mine')
  const hash = await share('/a')
  const stop = { table: 'change', change: 'delete', message: 'not now' } as const
  await inDatabase(program.database, (db) => breakWrites(db, stop))
  expect(await move('/a', '/b')).toBe(200)
  expect([await shown(hash), await intents()]).toEqual([404, 1])
  await program.kill()
  writeFileSync(join(program.root, 'a'), 'PRIVATE')
  await inDatabase(program.database, (db) => mendWrites(db, 'change'))
  await program.start()
  await recovered(hash)
  expect(await shown(hash)).toBe('mine')
})

test('a share shows its own file or nothing after a crash at any moment', async () => {
  writeFileSync(join(program.root, 'here'), 'mine')
  const hash = await share('/here')
  for (let round = 0; round < 4; round += 1) {
    const [from, to] = existsSync(join(program.root, 'here')) ? ['/here', '/there'] : ['/there', '/here']
    const moving = move(from, to).catch(() => 0)
    // The kill comes at a moment between the arrival of the request and its answer.
    await Bun.sleep(round * 6)
    await program.kill()
    await moving
    const free = existsSync(join(program.root, from)) ? to : from
    writeFileSync(join(program.root, free), 'PRIVATE')
    await program.start()
    await recovered(hash)
    expect([round, await shown(hash)]).toEqual([round, 'mine'])
    await program.ask(`/api/resources${free}`, { method: 'DELETE' })
    expect([round, await shown(hash)]).toEqual([round, 'mine'])
  }
})
