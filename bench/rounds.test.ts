import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBench } from './bench.ts'
import { nginxDialect } from './peers/nginx.ts'
import { runWork } from './rounds.ts'
import { scales } from './scale.ts'
import type { Work } from './work.ts'

const root = mkdtempSync(join(tmpdir(), 'bench-rounds-'))
const bench = openBench(root, scales.small, false)
const peer = { name: 'peer', url: new URL('http://127.0.0.1'), token: '', dialect: nginxDialect }

afterAll(async () => {
  await bench.end()
  rmSync(root, { recursive: true })
})

const work: Work = {
  name: 'work',
  title: 'Work',
  unit: 'ms',
  subject: () => ({ name: 'subject', make: (path) => writeFileSync(path, '') }),
  references: async () => [{ kind: 'shared', name: 'tool', sample: async () => 2 }],
  sample: async () => 3,
}

test('the first round warms up, and all others count', async () => {
  const [row] = await runWork(work, bench, [peer], 3, 600)
  expect(row?.reference).toEqual([2, 2, 2])
  expect(row?.cells[0]?.samples).toEqual([3, 3, 3])
})

test('a work whose time is over has one round that counts, and begins no other', async () => {
  const [row] = await runWork(work, bench, [peer], 3, 0)
  expect(row?.reference).toEqual([2])
  expect(row?.cells[0]?.samples).toEqual([3])
})
