import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bench, openBench } from '../bench.ts'
import { nginxDialect } from '../peers/nginx.ts'
import { scales } from '../scale.ts'
import { type Curve, runCurve } from './curve.ts'

const root = mkdtempSync(join(tmpdir(), 'bench-curve-'))
afterAll(() => rmSync(root, { recursive: true }))

let bench: Bench
beforeEach(() => {
  bench = openBench(root, scales.small, false)
})

const peers = ['steady', 'failing', 'slow'].map((name) => {
  return { name, url: new URL('http://127.0.0.1'), token: '', dialect: nginxDialect }
})
const curve: Curve = {
  name: 'curve',
  title: 'Curve',
  axis: 'entries',
  sizes: [10, 100],
  make: (disk) => mkdirSync(disk),
  tool: { name: 'tool', sample: async ({ size }) => size },
  async sample({ name }, { size }) {
    if (name === 'failing') throw new Error('refused')
    return name === 'slow' ? 20_000 : size * 2
  },
}

test('every line has its sizes; one that fails or becomes too slow ends', async () => {
  const { lines } = await runCurve(curve, bench, peers, 1)
  expect(
    lines.map(({ name, isTool, points }) => [name, isTool, points.map(({ size, ms }) => `${size}: ${ms}`)]),
  ).toEqual([
    ['tool', true, ['10: 10', '100: 100']],
    ['steady', false, ['10: 20', '100: 200']],
    ['failing', false, []],
    ['slow', false, ['10: 20000']],
  ])
  expect(bench.hasFailed).toBe(true)
  expect([...bench.notes].join()).toContain('failing failed at')
  expect([...bench.notes].join()).toContain('slow was asked for nothing larger')
  expect(readdirSync(join(root, bench.served))).toEqual([])
})

test('a size that the disk has no room for is left out with a note', async () => {
  const needs = (size: number) => ({ bytes: size === 100 ? Number.MAX_SAFE_INTEGER : 0 })
  const { lines } = await runCurve({ ...curve, sizes: [100], needs }, bench, peers, 1)
  expect(lines.flatMap(({ points }) => points)).toEqual([])
  expect([...bench.notes].join()).toContain('no room')
  expect(bench.hasFailed).toBe(false)
})
