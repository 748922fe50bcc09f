import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBench } from '../bench.ts'
import type { Request } from '../exchange.ts'
import { nginxDialect } from '../peers/nginx.ts'
import { scales } from '../scale.ts'
import type { Burden } from './burdens.ts'
import { measureBeside } from './fairness.ts'

const root = mkdtempSync(join(tmpdir(), 'bench-fairness-'))
const bench = openBench(root, scales.small, false)
const seen: string[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch({ url }) {
    const { pathname } = new URL(url)
    seen.push(pathname)
    return new Response('[]', { status: pathname === '/broken' ? 500 : 200 })
  },
})
const peer = { name: 'peer', url: server.url, token: '', dialect: nginxDialect }

afterAll(async () => {
  await server.stop(true)
  await bench.end()
  rmSync(root, { recursive: true })
})

const burdenOf = (requests: Request[] | undefined): Burden => ({
  name: 'burden',
  title: 'Burden',
  atOnce: 2,
  requests: async () => requests,
})
const heavy = (path: string, count: number) => Array.from({ length: count }, () => ({ method: 'GET', path }) as const)

test('small listings are timed while heavy requests are sent, and nothing is left of them', async () => {
  const waits = await measureBeside(burdenOf(heavy('/heavy', 10_000)), peer, bench, 0.3)
  expect(waits?.length).toBeGreaterThan(0)
  expect(seen).toContain('/heavy')
  expect(readdirSync(join(root, bench.served))).not.toContain('outbox')
})

test('heavy work that fails is no measurement', async () => {
  const failure = await measureBeside(burdenOf(heavy('/broken', 10)), peer, bench, 5).catch((error) => error)
  expect(failure).toBeInstanceOf(Error)
  expect((failure as Error).message).toContain('/broken answered 500')
})

test('a peer that cannot do the heavy work is left out', async () => {
  expect(await measureBeside(burdenOf(undefined), peer, bench, 5)).toBeUndefined()
})
