import { tmpdir } from 'node:os'
import { type Bench, openBench } from './bench.ts'
import { runCurve } from './curves/curve.ts'
import { curvesOf } from './curves/curves.ts'
import { writeDocs } from './docs.ts'
import { measureFairness } from './fairness/fairness.ts'
import { readCommit, readMachine, version } from './machine.ts'
import { type Options, parseOptions, usage } from './options.ts'
import { toPage } from './page.ts'
import { assertServes, type Peer, signIn } from './peer.ts'
import { startFilestead } from './peers/filestead.ts'
import { startInstalled } from './peers/installed.ts'
import { toReport } from './report.ts'
import { runWork } from './rounds.ts'
import { type Run, readRun, writeRun } from './run.ts'
import { scales } from './scale.ts'
import { chooseParts, type Parts } from './works.ts'

try {
  const options = parseOptions(Bun.argv.slice(2))
  if (options.help) console.log(usage)
  else if (options.again !== undefined) await writeReports(await readRun(options.again), options)
  else process.exitCode = await measure(options, chooseParts(options.only, options.curves))
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

/** The exit code tells whether all could be measured; a missed target is a finding, not a failure. */
async function measure(options: Options, parts: Parts): Promise<number> {
  const started = performance.now()
  const machine = readMachine(options.root ?? tmpdir())
  const { bench, peers } = await open(options)
  try {
    for (const peer of peers) await assertServes(peer, bench.served)
    const { scale, rounds } = options
    const run: Run = {
      date: new Date().toISOString(),
      version,
      commit: await readCommit(),
      machine,
      scale,
      rounds,
      minutes: 0,
      peers: peers.map(({ name, url, version: release }) => ({ name, url: url.href, version: release })),
      rows: [],
      fairness: [],
      curves: [],
      notes: [],
    }
    await measureParts(run, parts, bench, peers)
    if (bench.isStopped) return 130
    run.minutes = (performance.now() - started) / 60_000
    run.notes = [...bench.notes]
    await writeReports(run, options)
    if (options.json !== undefined) await writeRun(options.json, run)
    return bench.hasFailed || run.rows.some(({ cells }) => cells.some(({ failure }) => failure !== undefined)) ? 1 : 0
  } finally {
    await bench.end()
  }
}

async function measureParts(run: Run, parts: Parts, bench: Bench, peers: Peer[]): Promise<void> {
  const attempt = async (name: string, part: () => Promise<unknown>) => {
    if (bench.isStopped) return
    console.error(`${name} ...`)
    try {
      await part()
    } catch (error) {
      bench.fail(`${name}: not measured`, error)
    }
  }
  for (const work of parts.works) {
    await attempt(work.name, async () => run.rows.push(...(await runWork(work, bench, peers, run.rounds))))
  }
  if (parts.fairness) {
    await attempt('fairness', async () => run.fairness.push(...(await measureFairness(bench, peers, run.scale))))
  }
  for (const curve of parts.curves ? curvesOf(run.scale) : []) {
    await attempt(`curve of ${curve.name}`, async () =>
      run.curves.push(await runCurve(curve, bench, peers, run.rounds)),
    )
  }
}

async function writeReports(run: Run, { html, docs }: Options): Promise<void> {
  console.log(`\n${run.scale} scale, ${run.rounds} rounds\n\n${toReport(run)}`)
  await Bun.write(html, toPage(run))
  console.error(`\nplots: ${html}`)
  if (docs) await writeDocs(run)
}

async function open(options: Options): Promise<{ bench: Bench; peers: Peer[] }> {
  const { accounts, root: givenRoot, scale, keep, versions, foreign } = options
  const own = accounts.length > 0 && givenRoot !== undefined ? undefined : await startFilestead(givenRoot, keep)
  const root = own?.root ?? givenRoot ?? ''
  const bench = stopOnSignal(openBench(root, scales[scale], keep))
  if (own) bench.atEnd(own.stop)
  try {
    const peers = own ? [own.peer] : await Promise.all(accounts.map(signIn))
    for (const other of versions) {
      const { peer, stop } = await startFilestead(root, keep, other)
      bench.atEnd(stop)
      peers.push(peer)
    }
    peers.push(...(await startInstalled(bench, foreign)))
    const [nginx] = foreign.includes('nginx') ? [] : await startInstalled(bench, ['nginx'])
    bench.nginx = nginx ?? peers.find(({ name }) => name === 'nginx')
    return { bench, peers }
  } catch (error) {
    await bench.end()
    throw error
  }
}

/**
 * An interrupted run must not leave its servers and folders behind. The signal of a terminal comes twice, from the
 * terminal itself and from the script that has started the run, so the second one must not end the process.
 */
function stopOnSignal(bench: Bench): Bench {
  const stop = () => {
    bench.isStopped = true
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  return bench
}
