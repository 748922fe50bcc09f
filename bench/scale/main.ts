import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toFigure, toTable } from '../table.ts'
import { type Costs, kinds } from './costs.ts'
import { measureCosts } from './measure.ts'
import { demandOf, limitsOf } from './model.ts'
import { simulatePool } from './pool.ts'
import { office, usual } from './profile.ts'

/**
 * What so many users need, and which part is full first: arithmetic over measured costs and an assumed use.
 * `bun bench/scale/main.ts` takes the costs of the last measurement, `--measure` takes new ones first.
 */
const file = join(import.meta.dir, 'measured.json')
if (Bun.argv.includes('--measure')) {
  const costs = await measureCosts((line) => console.error(`measured: ${line}`))
  writeFileSync(file, `${JSON.stringify(costs, null, 2)}\n`)
}
const costs = (await Bun.file(file).json()) as Costs

const { at, processors, load } = costs.measured
console.log(
  `Measured ${at} on ${processors} processors with a load of ${toFigure(load)}: ratios hold, times are upper bounds.\n`,
)
console.log(
  toTable(
    ['request', 'node, µs', 'PostgreSQL, µs', 'transactions'],
    kinds.map((kind) => {
      const { nodeMicros, databaseMicros, transactions } = costs.requests[kind]
      return [kind, toFigure(nodeMicros), toFigure(databaseMicros), transactions.toFixed(1)]
    }),
    1,
  ),
)
const { messages, rows, rest, twoNodes, coldStart, sqliteListingMicros } = costs
for (const line of [
  `a listing with SQLite: ${toFigure(sqliteListingMicros)} µs`,
  `one of two nodes against one alone, processor time: listing ${twoNodes.listing.toFixed(2)}, upload ${twoNodes.upload.toFixed(2)}; goal 1.2`,
  `cold start: ${toFigure(coldStart.wallMs)} ms, of which ${toFigure(coldStart.cpuMs)} ms of processor time; with SQLite ${toFigure(coldStart.sqliteWallMs)} ms; goal 1000 ms`,
  `an upload writes ${messages.perUpload.toFixed(2)} messages, and each other process spends ${toFigure(messages.readMicrosPerUpload)} µs on reading`,
  `a process at rest: ${rest.transactionsPerSecond.toFixed(2)} transactions a second, ${toFigure(rest.megabytes)} MB`,
  `rows in bytes: user ${toFigure(rows.user)}, session ${toFigure(rows.session)}, upload ${toFigure(rows.upload)}; a file that lies there 0`,
  `search: ${toFigure(costs.searchMicrosPerName)} µs for each name`,
])
  console.log(line)

const demands = [100, 10_000, 100_000, 1_000_000].map((users) => demandOf(users, costs, office, usual))
const whole = (value: number) => (Number.isFinite(value) ? Math.ceil(value).toLocaleString('en') : 'no number')
const full = (part: { name: string; use: number } | undefined) =>
  part === undefined ? '' : `${part.name}, ${Math.round(part.use * 100)} %`
console.log('\nAssumed:', JSON.stringify({ use: office, machines: usual }), '\n')
console.log(
  toTable(
    ['', ...demands.map(({ users }) => `${whole(users)} users`)],
    [
      ['files', ...demands.map(({ files }) => whole(files))],
      ['requests a second', ...demands.map(({ requests }) => whole(requests))],
      [`nodes of ${usual.nodeProcessors} processors`, ...demands.map(({ machines }) => whole(machines))],
      ['transactions a second', ...demands.map(({ transactions }) => whole(transactions))],
      ['processors of PostgreSQL', ...demands.map(({ databaseProcessors }) => databaseProcessors.toFixed(2))],
      ['connections', ...demands.map(({ connections }) => whole(connections))],
      ['database, MB', ...demands.map(({ databaseBytes }) => whole(databaseBytes / 1e6))],
      ['messages a second', ...demands.map((demand) => whole(demand.messages))],
      ['object requests a second', ...demands.map(({ objectRequests }) => whole(objectRequests))],
      ['fullest', ...demands.map(({ parts }) => full(parts[0]))],
    ],
    1,
  ),
)

console.log('\nFull with so many users:')
for (const { name, users } of limitsOf(costs, office, usual)) console.log(`  ${whole(users)}: ${name}`)
const hours = (costs.searchMicrosPerName * 1e9) / 1e6 / 3600
console.log(`A search through a billion files takes ${toFigure(hours)} hours of processor time.`)

console.log(`\nWaiting for one of ${usual.pool} connections, in times of a query:`)
const loads = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98].map((use) => {
  const waits = simulatePool({ connections: usual.pool, use, queries: 200_000, seed: 1 })
  return [
    `${use * 100} %`,
    toFigure(waits.mean),
    toFigure(waits.slowest1Percent),
    `${Math.round(waits.waiting * 100)} %`,
  ]
})
console.log(toTable(['busy', 'mean', 'slowest of 100', 'that wait'], loads, 1))
