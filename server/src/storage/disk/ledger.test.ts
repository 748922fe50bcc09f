import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../../test/database.ts'
import { draftLedger } from './ledger.ts'
import type { OverwriteTarget } from './repairing.ts'

const db = await testDatabase()
afterAll(() => db.destroy())

const ledgerOf = (id: string) => draftLedger(db, { id, isAlive: () => true })
const target = (facts: Partial<OverwriteTarget>): OverwriteTarget => ({
  ...{ place: '/root/a', device: 1, inode: 7, born: '5', size: 3, modified: '9', ...facts },
})

test('who writes into a file is told which drafts were being written into it, by whatever node and under whatever name', async () => {
  const [one, two] = [ledgerOf('one'), ledgerOf('two')]
  await one.begin('/root/.filestead-draft-0')
  expect(await one.overwriting('/root/.filestead-draft-1', target({}))).toEqual([])
  // The same number: a file of another disk, one that came later, and the same one on another machine.
  await one.overwriting('/root/.filestead-draft-2', target({ born: '', device: 2 }))
  await one.overwriting('/root/.filestead-draft-3', target({ born: '6' }))
  const elsewhere = target({ place: '/root/b', device: 3 })
  expect(await two.overwriting('/root/.filestead-draft-4', elsewhere)).toEqual(['/root/.filestead-draft-1'])
  await one.end('/root/.filestead-draft-1')
  expect(await two.overwriting('/root/.filestead-draft-4', elsewhere)).toEqual([])
  expect(await two.overwriting('/root/.filestead-draft-5', target({ born: '', device: 2 }))).toEqual([
    '/root/.filestead-draft-2',
  ])
})
