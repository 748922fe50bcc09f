import { expect, test } from 'bun:test'
import { toReport } from './report.ts'
import type { Row } from './rounds.ts'

const rows: Row[] = [
  {
    work: 'listing-10k',
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
  expect(toReport(rows, ['new', 'old'], ['a note'])).toBe(`\
work         unit  against  median   new  ratio     old  ratio
-----------  ----  -------  ------  ----  -----  ------  -----
listing-10k  ms    ls -lU     10.0  21.0  2.00x    91.0  9.00x
recursive    ms    find        5.0  15.0  3.00x  failed      -

listing-10k: at most 2.5 x ls -lU: new 2.00x met, old 9.00x missed

recursive: old failed: answered 404
a note`)
})
