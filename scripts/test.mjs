// `npm test`: every check there is, and one line at the end that counts them. `npm test -- unit browser` runs parts, and
// `npm test -- unit crash jobs-` those files of a part that have one of the further words in their path.
import './node-version.mjs'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { findBrowser, findEngines } from './browser.mjs'
import { checkCode } from './check.mjs'
import { startPostgres } from './postgres.mjs'
import { prepare, root } from './prepare.mjs'
import { refusedLicences } from './release/licences.mjs'
import { runtime } from './runtime.mjs'
import { checkSize } from './size.mjs'
import { secondsOf, secondsOfBatch } from './test-times.mjs'

const results = join(root, 'results')
const bin = (name) => join(root, 'node_modules/.bin', name)
const tally = { passed: 0, failed: 0 }

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
prepare({ compressed: true })

/** The files of tests that are not run on PostgreSQL, and why. */
const notOnPostgres = [
  // About the files of SQLite: its log, its locks, its lock for writing, its disk, and what lies beside it; database-away and postgres-* have PostgreSQL's.
  /\/(acknowledged|database-(locked|replaced)|full-disk(-start)?|restore|own-(files|locks)|reserved-names|sqlite\/.*)\.test\.ts$/,
  // File Browser's database is taken over into a file beside it; database-move and takeover-tokens take it into a PostgreSQL.
  /\/takeover(-command|-exports|-meaning|-reading)?\.test\.ts$/,
  // Reads the statements and the plans of SQLite.
  /\/scale\.test\.ts$/,
  // About packages and the ways to install and start them, which name no database.
  /\/(container|image|systemd|release|npm-start|development|channels)\.test\.ts$/,
]

/** What asks most of a database, for a run of everything; `npm test -- postgres` runs the whole server on it. */
const mostOfDatabases =
  /^\.\/server\/(src\/(changes|users|sessions|shares|uploads|jobs|access|mounts|database)\/.*|test\/(users|sessions|shares|signup|groups|grants|favourites|operations|settings|revocation|database-read-only))\.test\.ts$/

/** The files of tests that start the program and are not run on two servers behind nginx, and why. */
const notOnNodes = [
  ...notOnPostgres,
  // They slow down, measure or count one process by its number, while nginx sends requests to both.
  /\/(slow-(disk|sync)|fairness|processes|event-proxies)\.test\.ts$/,
  // About how one process ends: its address refuses connections then, while nginx goes on listening.
  /\/stop\.test\.ts$/,
  // They start the other server, or their commands, themselves; nodes* have several behind nginx.
  /\/(two-servers|backup|command-line|postgres-.*)\.test\.ts$/,
]

/** Kills in uploads and jobs, for a run of everything; `npm test -- nodes` runs all that servers are killed in. */
const mostOfNodes = /\/(uploads-resuming|jobs-crash)\.test\.ts$/

const parts = {
  checks,
  unit: unitTests,
  postgres: postgresTests,
  nodes: nodesTests,
  browser: browserTests,
  smoke: smokeTests,
}
const given = process.argv.slice(2)
const isPart = (word) => Object.hasOwn(parts, word)
const asked = given.filter(isPart)
const words = given.filter((word) => !isPart(word))
if (words.length > 0 && asked.length === 0) {
  console.error(`There is no part ${words.join(', ')}. Choose from: ${Object.keys(parts).join(', ')}`)
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
  const files = ['server/test', 'contract', 'server/src', 'web', 'bench'].flatMap(testFilesBelow)
  await inBatches('unit and server tests', files, 'unit')
}

async function postgresTests() {
  const all = ['server/test', 'server/src']
    .flatMap(testFilesBelow)
    .filter((file) => !notOnPostgres.some((files) => files.test(file)))
  const chosen = asked.includes('postgres') ? all : all.filter((file) => mostOfDatabases.test(file))
  await onPostgres('server tests on PostgreSQL', chosen, 'postgres', { FILESTEAD_TEST_DATABASE: 'postgres' })
}

/** The program of these tests is two servers behind nginx, which sends each request to the next, and a kill is one of them. */
async function nodesTests() {
  const name = 'server tests on two servers'
  if (findNginx() === undefined) return console.log(`skip ${name}: nginx is not installed (package nginx)`)
  const all = testFilesBelow('server/test').filter(
    (file) =>
      /\/nodes[^/]*$/.test(file) ||
      (read(join(root, file)).includes('startProgram(') && !notOnNodes.some((files) => files.test(file))),
  )
  const chosen = asked.includes('nodes') ? all : all.filter((file) => mostOfNodes.test(file))
  await onPostgres(name, chosen, 'nodes', { FILESTEAD_TEST_NODES: '2' })
}

async function onPostgres(name, files, report, env) {
  const postgres = await startPostgres()
  if (postgres === undefined) {
    console.log(`skip ${name}: PostgreSQL is not installed (package postgresql), and could not be fetched`)
    return
  }
  try {
    await inBatches(name, files, report, { ...env, FILESTEAD_TEST_POSTGRES: postgres.address })
  } finally {
    await postgres.remove()
  }
}

function findNginx() {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'nginx'))
    .find((file) => existsSync(file))
}

/** Small batches taken from one queue, the longest first: no processor is idle before the last ones. */
async function inBatches(name, files, report, env = {}) {
  if (files.length === 0) return count(`${name}: no file has ${words.join(' or ')} in its path`, 0, 1)
  const queue = batchesOf(files).map((files, index) => ({ files, index }))
  const totals = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  const unsteady = []
  const work = async () => {
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      const counted = await unitTestsIn(batch.files, join(results, `${report}-${batch.index}.xml`), env)
      for (const name of Object.keys(totals)) totals[name] += counted[name]
      failures.push(...counted.failures)
      unsteady.push(...(counted.unsteady ?? []))
    }
  }
  // One more than there are processors: most of the time goes into waiting for servers, disks and programs.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, work))
  if (totals.skipped > 0) console.log(`${totals.skipped} tests need something this machine lacks`)
  // Once more beside the count: in a log that is cut to its end they are still there.
  for (const failure of failures) console.log(failure)
  for (const failure of unsteady) console.log(`needed a second try: that is a bug to mend: ${failure}`)
  console.log(`longest: ${longest(report).join(', ')}`)
  count(name, totals.passed, totals.failed)
}

/**
 * What fails is tried once more, each file in a runner of its own, and fails only if it does so again: a test that hangs on
 * the moment is a bug to mend, and is named, but no reason to refuse everything else. A runner that was ended by a signal
 * has told nothing about its tests, so that all of its files have a second try.
 */
async function unitTestsIn(files, report, env) {
  const first = await onceIn(files, report, env)
  if (first.failed === 0) return first
  const tryAgain = first.isDead && files.length > 1 ? unitTestsIn : onceIn
  const again = []
  for (const [index, file] of first.suspects.entries())
    again.push(await tryAgain([file], report.replace('.xml', `-${index}.xml`), env))
  const sum = (name) => again.reduce((total, one) => total + one[name], 0)
  const failed = sum('failed')
  return {
    passed: first.isDead ? sum('passed') : first.passed + Math.max(0, first.failed - failed),
    failed,
    skipped: first.isDead ? sum('skipped') : first.skipped,
    failures: again.flatMap((one) => one.failures),
    unsteady: [...(failed === 0 ? first.failures : []), ...again.flatMap((one) => one.unsteady ?? [])],
  }
}

async function onceIn(files, report, env) {
  // Generous: a busy machine is slow, and a slow answer is not a wrong one.
  const options = ['--isolate', '--timeout=120000', '--reporter=junit', `--reporter-outfile=${report}`]
  const shared = { PREPARED_FOR_TESTS: join(results, 'prepared') }
  const { code, signal, output } = await run(runtime(), ['test', ...options, ...files], { env: { ...shared, ...env } })
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
    ? [
        `The runner ended with ${signal ?? code} in ${files.join(' ')}:\n${words.trimEnd().split('\n').slice(-12).join('\n')}`,
      ]
    : [...new Set(output.match(/^\(fail\).*$/gm))]
  const suspects = isDead ? files : files.filter((file) => hasFailed(report, file))
  return { passed: total('tests') - counted - skipped, failed, skipped, failures, isDead, suspects }
}

function hasFailed(report, file) {
  const suite = read(report)
    .split('\n')
    .find((line) => line.startsWith(`  <testsuite name="${file.slice(2)}"`))
  return suite === undefined || !suite.includes(' failures="0"')
}

/** Files that take long have a runner of their own; of the others, as many share one as take about as long together. */
function batchesOf(files) {
  const batches = []
  let seconds = Number.POSITIVE_INFINITY
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    if (seconds + secondsOf(file) > secondsOfBatch) {
      batches.push([])
      seconds = 0
    }
    batches.at(-1).push(file)
    seconds += secondsOf(file)
  }
  return batches
}

/** The files that took longest, with seconds; `scripts/test-times.mjs` has those of a quiet machine. */
function longest(report) {
  const suites = readdirSync(results)
    .filter((name) => name.startsWith(`${report}-`))
    .flatMap((name) => [...read(join(results, name)).matchAll(/^ {2}<testsuite name="([^"]*)".* time="([\d.]+)"/gm)])
  return suites
    .map(([, name, time]) => ({ name, seconds: Math.round(Number(time)) }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 12)
    .map(({ name, seconds }) => `${name} ${seconds}`)
}

function testFilesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.test\.tsx?$/.test(name) && !name.includes('node_modules'))
    .sort()
    .map((name) => `./${folder}/${name}`)
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
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
  const { code } = await run(bin('playwright'), ['test', ...args, ...words], { show: true, env })
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
    child.on('close', (code, signal) => resolve({ code, signal, output }))
  })
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
