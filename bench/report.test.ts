import { expect, test } from 'bun:test'
import { toReport } from './report.ts'
import type { Row } from './rounds.ts'

const peers = ['new', 'old'].map((name) => ({ name, url: 'http://127.0.0.1/' }))

const rows: Row[] = [
  {
    work: 'listing-10k',
    title: 'Listing of 10,000 entries',
    unit: 'ms',
    against: 'ls -lU',
    limit: 2.5,
    reference: [10, 10, 40],
    cells: [
      { peer: 'new', samples: [20, 21, 80], references: [10, 10, 40] },
      { peer: 'old', samples: [90, 91, 360], references: [10, 10, 40] },
    ],
  },
  {
    work: 'recursive',
    title: 'Listing of a tree',
    unit: 'ms',
    against: 'find',
    reference: [5],
    cells: [
      { peer: 'new', samples: [15], references: [5] },
      { peer: 'old', samples: [], references: [], failure: 'answered 404' },
    ],
  },
]

test('a report has figures, verdicts, failures and notes in this order', () => {
  expect(toReport({ rows, fairness: [], peers, notes: ['a note'] })).toBe(`\
work         unit  against  median   new  ratio     old  ratio
-----------  ----  -------  ------  ----  -----  ------  -----
listing-10k  ms    ls -lU     10.0  21.0  2.00x    91.0  9.00x
recursive    ms    find        5.0  15.0  3.00x  failed      -

listing-10k: at most 2.5 x ls -lU: new 2.00x met, old 9.00x missed

recursive: old failed: answered 404
a note`)
})

test('processor time and waits beside heavy work have tables of their own', () => {
  const row = { work: 'download', title: 'Download', unit: 'ms', against: 'cat', reference: [5] } as const
  const cell = { peer: 'new', samples: [10], references: [5], cpu: { ms: 30, requests: 4 } }
  const fairness = [{ burden: 'zip', title: 'Zip', cells: [{ peer: 'new', median: 1.5, worst: 12, count: 9 }] }]
  expect(toReport({ rows: [{ ...row, reference: [5], cells: [cell] }], fairness, peers, notes: [] })).toEndWith(`\
processor time in ms per request

work      new  old
--------  ---  ---
download  7.5    -

small listings beside heavy work, median and worst in ms

beside  new  worst  old  worst
------  ---  -----  ---  -----
zip     1.5   12.0    -      -`)
})
