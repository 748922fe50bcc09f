import { expect, test } from 'bun:test'
import { putBetweenMarks, toMarkdown } from './docs.ts'
import { toPage } from './page.ts'
import { reasons } from './reasons.ts'
import type { Run } from './run.ts'
import { describeRun } from './run-words.ts'
import { works } from './works.ts'

const hostile = '<img src=x onerror=alert(1)>'

const run: Run = {
  date: '2026-11-16T20:00:00.000Z',
  version: '1.2.3',
  commit: 'abcdef',
  machine: { processor: 'A processor', cores: 2, memoryGB: 16, system: 'Linux 6.1', fileSystem: 'ext4', load: 0.1 },
  scale: 'full',
  rounds: 3,
  minutes: 11.2,
  peers: [
    { name: 'Filestead', url: '' },
    { name: hostile, url: '' },
  ],
  rows: [
    {
      work: 'copy',
      title: 'Copy of 1 GB',
      unit: 'ms',
      against: 'cp',
      reference: [50],
      cells: [
        { peer: 'Filestead', samples: [100], references: [50], cpu: { ms: 100, requests: 1 } },
        { peer: hostile, samples: [300], references: [50], cpu: { ms: 300, requests: 1 } },
      ],
    },
  ],
  fairness: [{ burden: 'zip', title: 'Zip', cells: [{ peer: 'Filestead', median: 1, worst: 20, count: 100 }] }],
  curves: [
    {
      name: 'listing',
      title: 'Listing',
      axis: 'entries',
      lines: [{ name: 'Filestead', isTool: false, points: [{ size: 100, ms: 1 }] }],
    },
  ],
  notes: [hostile],
}

test('a page shows every part of a run, loads nothing, and names cannot become markup', () => {
  const page = toPage(run)
  expect(page).not.toContain('<img')
  expect(page).not.toMatch(/<[^>]*\s(src|href)=|url\(|@import/)
  for (const part of ['commit abcdef', 'Copy of 1 GB', 'cp 0.5×', 'beside heavy work', 'Processor time', 'Listing'])
    expect(page).toContain(part)
  expect(page).not.toContain('NaN')
})

test('a page of a run without any results is still a page', () => {
  expect(toPage({ ...run, rows: [], fairness: [], curves: [], notes: [] })).toContain('<h1>Performance</h1>')
})

test('the documentation names those that are ahead with the reason', () => {
  const text = toMarkdown({ ...run, peers: run.peers.slice(0, 1) })
  expect(text).toContain(`- **Copy of 1 GB**, 100 ms: cp 50 ms (0.5×). ${reasons.copy}`)
  expect(text).toContain('| Copy of 1 GB | cp 50 ms | 100 ms |')
  expect(text).toContain('src="images/performance-listing.svg"')
  expect(text).toContain('took 20 ms (beside “Zip”)')
})

test('only what stands between the marks is written anew', () => {
  const page = putBetweenMarks(
    'before <!-- Written by `npm run bench -- --docs` from here --> old <!-- to here --> after',
    'new',
  )
  expect(page).toStartWith('before <!--')
  expect(page).toEndWith('--> after')
  expect(page).toContain('\n\nnew\n\n')
  expect(page).not.toContain('old')
  expect(() => putBetweenMarks('no marks', 'new')).toThrow('marks')
})

test('reasons belong to works that there are', () => {
  const names = works.map(({ name }) => name)
  expect(Object.keys(reasons).filter((name) => !names.includes(name))).toEqual([])
})

test('a run on a busy machine says so', () => {
  expect(describeRun(run).join()).not.toContain('other work')
  const busy = { ...run, machine: { ...run.machine, load: 3.21 } }
  expect(describeRun(busy).at(-1)).toContain('a load of 3.2')
})
