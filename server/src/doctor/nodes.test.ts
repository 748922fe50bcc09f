import { expect, test } from 'bun:test'
import type { SeenNode } from '../database/postgres/tables.ts'
import { examineNodes } from './nodes.ts'

const one: SeenNode = { host: 'one', version: '2.0.0', isPresent: true }
const two = { ...one, host: 'two' }
const statesOf = (...nodes: SeenNode[]) => [...examineNodes(nodes, '2.0.0')].map(({ state }) => state)

test('servers that are at work are named with their versions', () => {
  expect([...examineNodes([one, two], '2.0.0')]).toEqual([
    { about: 'Servers', state: 'good', text: '2 at work: one (2.0.0), two (2.0.0)' },
  ])
  expect(statesOf()).toEqual(['note'])
})

test('different versions, and a version that is not that of the doctor, are said', () => {
  expect(statesOf(one, { ...two, version: '2.1.0' })).toEqual(['good', 'warning'])
  expect(statesOf({ ...one, version: '2.1.0' })).toEqual(['good', 'note'])
  // One that is gone is no mixture of versions.
  expect(statesOf(one, { ...two, version: '1.9.0', isPresent: false })).toEqual(['good', 'warning'])
})

test('a server without a connection is named', () => {
  const [, silent] = examineNodes([one, { ...two, version: '', isPresent: false }], '2.0.0')
  expect(silent).toMatchObject({ state: 'warning', text: 'Without a connection to the database: two.' })
})
