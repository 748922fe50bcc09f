import { expect, test } from 'bun:test'
import { aheadOf, compareCpu, compareWorks } from './compare.ts'
import type { Row } from './rounds.ts'

const peers = ['us', 'other', 'nginx'].map((name) => ({ name, url: '' }))
const row = (against: string): Row => ({
  work: 'download',
  title: 'Download',
  unit: 'ms',
  against,
  reference: [5, 50],
  cells: [
    { peer: 'us', samples: [10, 100], references: [5, 50], cpu: { ms: 100, requests: 10 } },
    { peer: 'other', samples: [20, 200], references: [5, 50], cpu: { ms: 400, requests: 10 } },
    { peer: 'nginx', samples: [], references: [], failure: 'lost' },
  ],
})

test('others are compared round by round with the first peer, the tool first', () => {
  const [comparison] = compareWorks({ rows: [row('cat'), row('nginx')], peers })
  expect(comparison?.others.map(({ name, ratio, isTool }) => [name, ratio, isTool])).toEqual([
    ['cat', 0.5, true],
    ['other', 2, false],
  ])
  expect(comparison && aheadOf(comparison).map(({ name }) => name)).toEqual(['cat'])
})

test('a reference that is a peer is not shown as a tool, and a budget is none', () => {
  expect(compareWorks({ rows: [row('nginx')], peers })[0]?.others.map(({ name }) => name)).toEqual(['other'])
  expect(compareWorks({ rows: [{ ...row('80 MB'), unit: 'MB' }], peers })[0]?.others).toHaveLength(1)
})

test('a work that the first peer failed in is left out', () => {
  expect(compareWorks({ rows: [row('cat')], peers: peers.toReversed() })).toEqual([])
})

test('processor time is compared per request', () => {
  const [comparison] = compareCpu({ rows: [row('cat')], peers })
  expect(comparison).toMatchObject({ own: 10, others: [{ name: 'other', figure: 40, ratio: 4 }] })
})
