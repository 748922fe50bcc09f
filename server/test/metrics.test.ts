import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '../src/cli/program.ts'
import { kindOf } from '../src/metrics/routes.ts'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { admin, askAs, askAt, initialise, run, serve, signIn } from './process.ts'
import { tusOf } from './tus.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('metrics')

test('metrics of a used server are served at their own address, without names of users or files', async () => {
  const root = join(folder, 'root')
  mkdirSync(root)
  writeFileSync(join(root, 'secret-name.bin'), Buffer.alloc(300_000, 'x'))
  const database = join(folder, 'filestead.db')
  await initialise(database)
  const metricsPort = await freePort()
  await using running = await serve(['-d', database, '-r', root, '--metrics', `127.0.0.1:${metricsPort}`])
  const { url } = running
  expect(running.stdout()).toContain(`metrics at http://127.0.0.1:${metricsPort}/metrics`)
  const numbers = async () => numbersIn(await (await askAt(`http://127.0.0.1:${metricsPort}`, '/metrics')).text())

  const token = await signIn(url, admin)
  const ask = askAs(url, token)
  const before = await numbers()
  await (await ask('/api/raw/secret-name.bin')).arrayBuffer()
  await (await ask('/api/raw/secret-name.bin', { headers: { range: 'bytes=0-9' } })).arrayBuffer()
  const archive = await (await ask('/api/raw/?algo=tar')).arrayBuffer()
  await (await ask('/api/raw/secret-missing')).arrayBuffer()
  await (await ask('/api/resources/written.txt', { method: 'POST', body: 'x'.repeat(1000) })).arrayBuffer()
  await (await ask('/api/resources/written.txt', { method: 'DELETE' })).arrayBuffer()
  const wrong = JSON.stringify({ ...admin, password: 'not the password' })
  await (await askAt(url, '/api/login', { method: 'POST', body: wrong })).arrayBuffer()
  const tus = tusOf(ask)
  await (await tus.create('/begun.txt', 10)).arrayBuffer()
  await (await tus.append('/begun.txt', 0, 'half')).arrayBuffer()
  const after = await numbers()

  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  expect(grown('filestead_requests_total{kind="downloads",status="200"}')).toBe(2)
  expect(grown('filestead_requests_total{kind="downloads",status="206"}')).toBe(1)
  expect(grown('filestead_requests_total{kind="downloads",status="404"}')).toBe(1)
  expect(grown('filestead_requests_total{kind="files",status="200"}')).toBe(1)
  expect(grown('filestead_requests_total{kind="uploads",status="201"}')).toBe(1)
  expect(after.get('filestead_sign_ins_total{result="ok"}')).toBe(1)
  expect(after.get('filestead_sign_ins_total{result="refused"}')).toBe(1)
  expect([
    grown('filestead_changes_total{action="create"}'),
    grown('filestead_changes_total{action="delete"}'),
  ]).toEqual([1, 1])
  // Two requests of an unfinished upload.
  expect(after.has('filestead_changes_total{action="upload"}')).toBe(false)
  const buckets = [...after].filter(([name]) =>
    name.startsWith('filestead_request_duration_seconds_bucket{kind="downloads"'),
  )
  const counts = buckets.map(([, value]) => value)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect([buckets.at(-1), buckets.length]).toEqual([
    ['filestead_request_duration_seconds_bucket{kind="downloads",le="+Inf"}', 4],
    7,
  ])
  expect(after.get('filestead_request_duration_seconds_count{kind="downloads"}')).toBe(4)
  expect(after.get('filestead_disk_bytes{disk="files"}')).toBeGreaterThan(
    after.get('filestead_free_bytes{disk="files"}') ?? 0,
  )
  expect(grown('filestead_sent_bytes_total')).toBe(300_000 + 10 + archive.byteLength)
  expect(grown('filestead_received_bytes_total')).toBe(1004 + wrong.length)
  expect(after.get('filestead_open_uploads')).toBe(1)
  expect(after.get('filestead_sessions')).toBe(1)
  expect(after.get('filestead_cache_bytes')).toBe(0)
  expect(after.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(after.get('process_open_fds')).toBeGreaterThan(3)
  expect(after.get('filestead_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0)

  const text = [...after.keys()].join('\n')
  expect(text).not.toMatch(/secret|admin|written|begun/)
  expect((await askAt(`http://127.0.0.1:${metricsPort}`, '/api/resources/')).status).toBe(404)
  expect(await (await askAt(url, '/metrics')).text()).not.toContain('filestead_requests_total')
  running.signal('SIGTERM')
  expect((await running.ended).code).toBe(0)
  rmSync(folder, { recursive: true, force: true })
})

/** Every line by its name and labels. A line that Prometheus could not read is a mistake. */
function numbersIn(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !/^# (HELP|TYPE) [a-z_]+ \S/.test(line))
  return new Map(
    lines.map((line) => {
      const match = /^([a-z_]+(?:\{[a-z]+="[\w .+-]*"(?:,[a-z]+="[\w .+-]*")*\})?) (\d+(?:\.\d+)?(?:e-?\d+)?)$/.exec(
        line,
      )
      if (match === null) throw new Error(`not a metric: ${line}`)
      return [match[1] ?? '', Number(match[2])]
    }),
  )
}

test('paths are counted in a fixed set of kinds', () => {
  const paths = [
    '/health',
    '/',
    '/files/a/b',
    '/static/assets/x.js',
    '/api/raw/a',
    '/api/tus/b',
    '/api/nothing',
    '/api',
  ]
  expect(paths.map(kindOf)).toEqual([...['health', 'page', 'page', 'static', 'downloads', 'uploads', 'other', 'other']])
})

test('a taken address for metrics is reported in one line, and nothing is created', async () => {
  const place = scratchFolder('metrics-taken')
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const database = join(place, 'filestead.db')
  const words = ['-d', database, '-r', place, '-p', '0', '--metrics', `127.0.0.1:${taken.port}`]
  const { code, stdout, stderr } = await run(words)
  taken.stop()
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^Error: Cannot listen on 127\.0\.0\.1:\d+ for metrics: the port is in use\. Choose another one with --metrics[^\n]*\n$/,
  )
  expect(readdirSync(place)).toEqual([])
})

test.each(['9100', 'localhost', '1.2.3.4:99999', 'http://x:1', '::1:9100'])(
  '%s is refused as an address for metrics',
  async (text) => {
    const starting = program().parseAsync(['--metrics', text, '-d', '/nowhere/filestead.db'], { from: 'user' })
    const reason = await starting.then(
      () => 'the server has started',
      (error: Error) => error.message,
    )
    expect(reason).toContain('--metrics')
  },
)
