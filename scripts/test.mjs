// `npm test`: every check there is, and one line at the end that counts them. `npm test -- unit browser` runs parts.
import './node-version.mjs'
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { findBrowser, findEngines } from './browser.mjs'
import { checkCode } from './check.mjs'
import { startPostgres } from './postgres.mjs'
import { prepare, root } from './prepare.mjs'
import { refusedLicences } from './release/licences.mjs'
import { runtime } from './runtime.mjs'
import { checkSize } from './size.mjs'

const results = join(root, 'results')
const bin = (name) => join(root, 'node_modules/.bin', name)
const tally = { passed: 0, failed: 0 }

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
prepare({ compressed: true })

/** About the files of SQLite, or about parts that no database has to do with. */
const notOnPostgres =
  /\/(backup|restore|takeover\b.*|full-disk.*|uploads-full-disk|database-(locked|replaced)|acknowledged|scale|container|image|systemd|release|npm-start|development|channels|command-line.*|postgres-.*|nodes(-\w+)?|database-away|postgres\/.*)\.test\.ts$/

/** What asks most of a database, for a run of everything; `npm test -- postgres` runs the whole server on it. */
const mostOfDatabases =
  /^\.\/server\/(src\/(changes|users|sessions|shares|uploads|jobs|access|mounts|database)\/.*|test\/(users|sessions|shares|signup|groups|grants|favourites|operations|settings|revocation|database-read-only))\.test\.ts$/

const parts = { checks, unit: unitTests, postgres: postgresTests, browser: browserTests, smoke: smokeTests }
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. Choose from: ${Object.keys(parts).join(', ')}`)
  process.exit(1)
}
for (const [name, run] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`${name} …`)
  await run()
}

console.log(`${tally.passed} passed, ${tally.failed} failed`)
process.exit(tally.failed === 0 ? 0 : 1)

async function checks() {
  await checkCode((name, isFine) => count(name, isFine ? 1 : 0, isFine ? 0 : 1))
  const isSmall = checkSize()
  count('size of the client', isSmall ? 1 : 0, isSmall ? 0 : 1)
  const refused = refusedLicences()
  for (const text of refused) console.log(`The licence is not on the list: ${text}`)
  count('licences of what is shipped', refused.length === 0 ? 1 : 0, refused.length)
}

async function unitTests() {
  const starting = testFilesBelow('server/test')
  const others = ['contract', 'server/src', 'web', 'bench'].flatMap(testFilesBelow)
  await inBatches('unit and server tests', [...batchesOf(starting, 4), ...batchesOf(others, 40)], 'unit')
}

async function postgresTests() {
  const postgres = await startPostgres()
  if (postgres === undefined) {
    console.log('skip tests on PostgreSQL: it is not installed (package postgresql), and could not be fetched')
    return
  }
  const all = ['server/test', 'server/src'].flatMap(testFilesBelow).filter((file) => !notOnPostgres.test(file))
  const chosen = asked.includes('postgres') ? all : all.filter((file) => mostOfDatabases.test(file))
  const env = { FILESTEAD_TEST_DATABASE: 'postgres', FILESTEAD_TEST_POSTGRES: postgres.address }
  try {
    await inBatches('server tests on PostgreSQL', batchesOf(chosen, 6), 'postgres', env)
  } finally {
    await postgres.remove()
  }
}

/** Small batches taken from one queue: however uneven they are, no processor is idle before the last ones. */
async function inBatches(name, batches, report, env = {}) {
  const queue = batches.map((files, index) => ({ files, index }))
  const totals = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  const work = async () => {
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      const counted = await unitTestsIn(batch.files, join(results, `${report}-${batch.index}.xml`), env)
      for (const name of Object.keys(totals)) totals[name] += counted[name]
      failures.push(...counted.failures)
    }
  }
  // One more than there are processors: most of the time goes into waiting for servers, disks and programs.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, work))
  if (totals.skipped > 0) console.log(`${totals.skipped} tests need something this machine lacks`)
  // Once more beside the count: in a log that is cut to its end they are still there.
  for (const failure of failures) console.log(failure)
  count(name, totals.passed, totals.failed)
}

async function unitTestsIn(files, report, env) {
  // Generous: a busy machine is slow, and a slow answer is not a wrong one.
  const options = ['--isolate', '--timeout=60000', '--reporter=junit', `--reporter-outfile=${report}`]
  const { code, output } = await run(runtime(), ['test', ...options, ...files], { env })
  const summary = /<testsuites[^>]*>/.exec(read(report))?.[0] ?? ''
  const total = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(summary)?.[1] ?? 0)
  const skipped = total('skipped')
  const counted = total('failures')
  // A runner that dies has failed, whatever its counts say.
  const isDead = code !== 0 && counted === 0
  const failed = isDead ? 1 : counted
  const words = output.replaceAll(/^\((pass|skip)\).*\n/gm, '')
  if (code !== 0) console.log(words)
  const failures = isDead
    ? [`The runner ended with ${code} in ${files.join(' ')}:\n${words.trimEnd().split('\n').slice(-12).join('\n')}`]
    : [...new Set(output.match(/^\(fail\).*$/gm))]
  return { passed: total('tests') - counted - skipped, failed, skipped, failures }
}

function batchesOf(files, size) {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, index) =>
    files.slice(index * size, (index + 1) * size),
  )
}

function testFilesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.test\.tsx?$/.test(name) && !name.includes('node_modules'))
    .sort()
    .map((name) => `./${folder}/${name}`)
}

async function browserTests() {
  const browser = findBrowser()
  if (browser === undefined) return count('browser tests: install Chromium (package "chromium")', 0, 1)
  await playwright('browser tests', ['-c', 'e2e'], 'e2e.json', { FILESTEAD_CHROMIUM: browser })
}

/** A few flows on other engines than Chromium, where they are installed. */
async function smokeTests() {
  const engines = findEngines()
  for (const { label, missing } of engines)
    if (missing.length > 0) console.log(`skip smoke tests on ${label}: not installed (package ${missing.join(', ')})`)
  const found = engines.filter(({ missing }) => missing.length === 0)
  if (found.length === 0) return
  const projects = found.map(({ name }) => `--project=${name}`)
  await playwright('smoke tests', ['-c', 'e2e/smoke.config.ts', ...projects], 'smoke.json')
}

async function playwright(part, args, report, env = {}) {
  const { code } = await run(bin('playwright'), ['test', ...args], { show: true, env })
  const { stats = {} } = JSON.parse(read(join(root, 'e2e/results', report)) || '{}')
  const { expected = 0, unexpected = 0, flaky = 0 } = stats
  if (flaky > 0) console.log(`${flaky} ${part} needed a second try: that is a bug to mend`)
  count(part, expected + flaky, code !== 0 && unexpected === 0 ? 1 : unexpected)
}

function count(name, passed, failed) {
  console.log(`${failed === 0 ? 'ok  ' : 'FAIL'} ${name}: ${passed} passed, ${failed} failed`)
  tally.passed += passed
  tally.failed += failed
}

function run(command, args, { show = false, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        output += piece
        if (show) process.stdout.write(piece)
      })
    child.on('error', (error) => resolve({ code: 1, output: String(error) }))
    child.on('close', (code) => resolve({ code, output }))
  })
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
