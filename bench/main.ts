import { type Bench, openBench } from './bench.ts'
import { startFilestead } from './filestead.ts'
import { type Options, parseOptions, usage } from './options.ts'
import { assertServes, type Peer, signIn } from './peer.ts'
import { toReport } from './report.ts'
import { type Row, runWork } from './rounds.ts'
import { scales } from './scale.ts'
import type { Work } from './work.ts'
import { chooseWorks, works } from './works.ts'

try {
  const options = parseOptions(Bun.argv.slice(2))
  if (options.help) console.log(usage)
  else process.exitCode = await measure(options, chooseWorks(works, options.only))
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

/** The exit code tells whether all could be measured; a missed target is a finding, not a failure. */
async function measure(options: Options, chosen: readonly Work[]): Promise<number> {
  const { bench, peers } = await open(options)
  try {
    for (const peer of peers) await assertServes(peer, bench.served)
    const rows: Row[] = []
    let failures = 0
    for (const work of chosen) {
      if (bench.isStopped) return 130
      console.error(`${work.name} ...`)
      try {
        rows.push(...(await runWork(work, bench, peers, options.rounds)))
      } catch (error) {
        failures++
        bench.notes.add(`${work.name}: not measured: ${error instanceof Error ? error.message : error}`)
      }
    }
    if (bench.isStopped) return 130
    const names = peers.map(({ name }) => name)
    console.log(`\n${options.scale} scale, ${options.rounds} rounds\n\n${toReport(rows, names, bench.notes)}`)
    if (options.json !== undefined) await writeJson(options.json, options, peers, rows, bench)
    return failures > 0 || rows.some(({ cells }) => cells.some(({ failure }) => failure !== undefined)) ? 1 : 0
  } finally {
    await bench.end()
  }
}

async function open({ accounts, root, scale, keep }: Options): Promise<{ bench: Bench; peers: Peer[] }> {
  if (accounts.length > 0 && root !== undefined) {
    const peers = await Promise.all(accounts.map(signIn))
    return { bench: stopOnSignal(openBench(root, scales[scale], keep)), peers }
  }
  const own = await startFilestead(root, keep)
  const bench = stopOnSignal(openBench(own.root, scales[scale], keep))
  bench.atEnd(own.stop)
  return { bench, peers: [own.peer] }
}

/** An interrupted run must not leave its servers and folders behind. */
function stopOnSignal(bench: Bench): Bench {
  const stop = () => {
    bench.isStopped = true
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  return bench
}

async function writeJson(path: string, options: Options, peers: Peer[], rows: Row[], bench: Bench): Promise<void> {
  const { scale, rounds } = options
  const named = peers.map(({ name, url }) => ({ name, url: url.href }))
  const figures = { date: new Date().toISOString(), scale, rounds, peers: named, rows, notes: [...bench.notes] }
  await Bun.write(path, `${JSON.stringify(figures, null, 2)}\n`)
}
