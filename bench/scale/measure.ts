import { availableParallelism, loadavg } from 'node:os'
import { readResidentMB } from '../resident-memory.ts'
import { median } from '../statistics.ts'
import type { Costs, Kind, RequestCost } from './costs.ts'
import { account, names, openWorld, type ServingNode, tokenAt, type World } from './world.ts'

/** Enough for processor times that are counted in hundredths of a second. */
const counts: Readonly<Record<Kind, number>> = {
  check: 1500,
  listing: 1000,
  download: 1000,
  upload: 400,
  'sign-in': 20,
}
const clients = 8
let sent = 0

/** Measures every cost of the model on a PostgreSQL of its own. Takes about two minutes. */
export async function measureCosts(say: (line: string) => void): Promise<Costs> {
  const measured = { at: new Date().toISOString(), processors: availableParallelism(), load: loadavg()[0] ?? 0 }
  await using world = await openWorld()
  const starts = await coldStarts(world)
  say('cold start')
  const node = await world.start()
  try {
    const token = await tokenAt(node.url)
    await askAll('upload', node, token)
    const megabytes = await readResidentMB(node.pid)
    const restRate = await transactionsAtRest(world)
    const requests = {} as Record<Kind, RequestCost>
    let uploadBytes = 0
    for (const kind of Object.keys(counts) as Kind[]) {
      const before = await tableBytes(world)
      requests[kind] = await costOf(kind, { world, node, token, restRate })
      if (kind === 'upload') uploadBytes = ((await tableBytes(world)) - before) / counts.upload
      say(kind)
    }
    const searchMicrosPerName = await searchCost(node, token)
    const rows = { ...(await rowBytes(world)), upload: uploadBytes }
    say('rows')
    const sqliteListingMicros = await listingOnSqlite(world)
    const { ratios, messages } = await compared(world, node, token)
    say('two nodes')
    return {
      measured,
      requests,
      rest: { transactionsPerSecond: restRate, megabytes },
      messages,
      rows,
      searchMicrosPerName,
      sqliteListingMicros,
      twoNodes: ratios,
      coldStart: starts,
    }
  } finally {
    await node.stop()
  }
}

async function coldStarts(world: World): Promise<Costs['coldStart']> {
  const taken: Record<'wall' | 'cpu' | 'sqlite', number[]> = { wall: [], cpu: [], sqlite: [] }
  for (let round = 0; round < 3; round += 1) {
    const node = await world.start()
    taken.wall.push(node.startMs)
    taken.cpu.push(await node.cpuMs())
    await node.stop()
    const alone = await world.start(world.sqlite)
    taken.sqlite.push(alone.startMs)
    await alone.stop()
  }
  return { wallMs: median(taken.wall), cpuMs: median(taken.cpu), sqliteWallMs: median(taken.sqlite) }
}

async function transactionsAtRest(world: World): Promise<number> {
  await world.newTransactions()
  const began = performance.now()
  await Bun.sleep(10_000)
  return ((await world.newTransactions()) * 1000) / (performance.now() - began)
}

interface Measured {
  readonly world: World
  readonly node: ServingNode
  readonly token: string
  readonly restRate: number
}

async function costOf(kind: Kind, { world, node, token, restRate }: Measured): Promise<RequestCost> {
  const began = performance.now()
  const [own, database] = [await node.cpuMs(), await world.databaseCpuMs()]
  const count = await askAll(kind, node, token)
  const [ownAfter, databaseAfter] = [await node.cpuMs(), await world.databaseCpuMs()]
  const all = await world.newTransactions()
  const atRest = (restRate * (performance.now() - began)) / 1000
  return {
    nodeMicros: ((ownAfter - own) * 1000) / count,
    databaseMicros: ((databaseAfter - database) * 1000) / count,
    transactions: Math.max(0, all - atRest) / count,
  }
}

/**
 * What a node spends on the same requests beside a server of another installation and beside one of its own, in turns: the
 * machine has as much to do in both. And what its uploads make the other do, which has a page open that shows them.
 */
async function compared(world: World, node: ServingNode, token: string) {
  const kinds = ['listing', 'upload'] as const
  const ratios = { listing: [] as number[], upload: [] as number[] }
  const [stranger, sibling] = [await world.start(world.stranger), await world.start()]
  try {
    const strangerToken = await tokenAt(stranger.url)
    await warm(stranger, strangerToken)
    await warm(sibling, token)
    for (let round = 0; round < 5; round += 1)
      for (const kind of kinds) {
        const apart = await cpuBeside(kind, { node, token }, [stranger, strangerToken])
        ratios[kind].push((await cpuBeside(kind, { node, token }, [sibling, token])) / apart)
      }
    const page = await listen(sibling, node.folder, token)
    const [before, messagesBefore] = [await sibling.cpuMs(), await messagesSoFar(world)]
    const count = await askAll('upload', node, token)
    // The last are read a moment later.
    await Bun.sleep(500)
    const readMicrosPerUpload = (((await sibling.cpuMs()) - before) * 1000) / count
    const perUpload = ((await messagesSoFar(world)) - messagesBefore) / count
    page.abort()
    return {
      ratios: { listing: median(ratios.listing), upload: median(ratios.upload) },
      messages: { perUpload, readMicrosPerUpload },
    }
  } finally {
    await sibling.stop()
    await stranger.stop()
  }
}

/** A process that has just begun runs code that is not compiled yet. */
async function warm(node: ServingNode, token: string): Promise<void> {
  for (const kind of ['listing', 'upload'] as const) await askAll(kind, node, token)
}

async function cpuBeside(
  kind: Kind,
  { node, token }: Pick<Measured, 'node' | 'token'>,
  [other, otherToken]: readonly [ServingNode, string],
): Promise<number> {
  const [spent] = await Promise.all([cpuPerRequest(kind, node, token), askAll(kind, other, otherToken)])
  return spent
}

/** A page that is told of changes in the folder of the uploads. */
async function listen(node: ServingNode, folder: string, token: string): Promise<AbortController> {
  const ending = new AbortController()
  const answer = await fetch(`${node.url}/api/events?folder=${folder}`, {
    headers: { 'X-Auth': token },
    signal: ending.signal,
  })
  const reader = answer.body?.getReader()
  await reader?.read()
  const readOn = async () => {
    while (reader !== undefined && !(await reader.read()).done);
  }
  void readOn().catch(() => {})
  return ending
}

async function cpuPerRequest(kind: Kind, node: ServingNode, token: string): Promise<number> {
  const before = await node.cpuMs()
  const count = await askAll(kind, node, token)
  return ((await node.cpuMs()) - before) / count
}

async function messagesSoFar(world: World): Promise<number> {
  const [row] = await world.rows<{ value: string }>("select value from counter where name = 'message'")
  return Number(row?.value ?? 0)
}

/** Answers how many requests were sent. */
async function askAll(kind: Kind, node: ServingNode, token: string): Promise<number> {
  let left = counts[kind]
  const client = async () => {
    while (left > 0) {
      left -= 1
      await askOnce(kind, node, token)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return counts[kind]
}

async function askOnce(kind: Kind, { url, folder }: ServingNode, token: string): Promise<void> {
  const headers = { 'X-Auth': token }
  sent += 1
  const asked = {
    check: () => fetch(`${url}/api/favourites`, { headers }),
    listing: () => fetch(`${url}/api/resources/small/`, { headers }),
    download: () => fetch(`${url}/api/raw/small/file-1.txt`, { headers }),
    upload: () =>
      fetch(`${url}/api/resources${folder}/${sent}.txt`, { method: 'POST', headers, body: 'x'.repeat(1000) }),
    'sign-in': () => fetch(`${url}/api/login`, { method: 'POST', body: JSON.stringify(account) }),
  } satisfies Record<Kind, () => Promise<Response>>
  const answer = await asked[kind]()
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${kind} answered ${answer.status}`)
}

async function searchCost(node: ServingNode, token: string): Promise<number> {
  const rounds = 10
  const before = await node.cpuMs()
  for (let round = 0; round < rounds; round += 1) {
    const answer = await fetch(`${node.url}/api/search/many/?query=nothing-is-called-so`, {
      headers: { 'X-Auth': token },
    })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`search answered ${answer.status}`)
  }
  return (((await node.cpuMs()) - before) * 1000) / (rounds * names)
}

async function listingOnSqlite(world: World): Promise<number> {
  const node = await world.start(world.sqlite)
  try {
    const token = await tokenAt(node.url)
    await askAll('upload', node, token)
    await askAll('listing', node, token)
    return (await cpuPerRequest('listing', node, token)) * 1000
  } finally {
    await node.stop()
  }
}

async function tableBytes(world: World): Promise<number> {
  const query =
    "select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace"
  const [row] = await world.rows<{ bytes: string }>(query)
  return Number(row?.bytes)
}

/** What copies of the account and of its session take, in a thousand each. */
async function rowBytes(world: World): Promise<{ user: number; session: number }> {
  const copies = 5000
  const grown = async (table: string, id: string, name: string) => {
    const columns = (
      await world.rows<{ column_name: string }>(
        `select column_name from information_schema.columns where table_name = '${table}' and table_schema = 'public'`,
      )
    ).map(({ column_name }) => column_name)
    const values = columns.map((column) =>
      column === 'id' ? id : column === name ? `'user' || number` : `"${column}"`,
    )
    const before = await tableBytes(world)
    await world.rows(
      `insert into "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) ` +
        `select ${values.join(', ')} from (select * from "${table}" limit 1) as one, generate_series(1, ${copies}) as number`,
    )
    return ((await tableBytes(world)) - before) / copies
  }
  return {
    user: await grown('user', '1000 + number', 'username'),
    session: await grown('session', "md5(number::text) || md5('b' || number)", ''),
  }
}
