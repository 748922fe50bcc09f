import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Keep } from '../server/src/storage/keeping.ts'
import { parsePath } from '../server/src/storage/path.ts'
import { memoryLedger, memoryMoves } from '../server/src/storage/testing/ledger.fixture.ts'
import { threadedScopes } from '../server/src/storage/threads/scopes.ts'
import { median } from './statistics.ts'
import { toFigure, toTable } from './table.ts'

/**
 * What it costs to keep: a folder of many files that goes into the trash against one that is renamed, and a save that
 * keeps the old version against one that does not, alternating in one run. `bun bench/history.ts [ROUNDS] [FOLDER]`
 */
const rounds = Number(Bun.argv[2] ?? 200)
const home = mkdtempSync(join(Bun.argv[3] ?? tmpdir(), 'bench-history-'))
const files = 5000
const content = new Uint8Array(4096)

const scopes = threadedScopes({
  settings: {
    root: home,
    own: { paths: [], families: [], listedBeside: [] },
    spool: home,
    follows: false,
    orphanAge: undefined,
  },
  drafts: memoryLedger(),
  moves: memoryMoves(),
  modes: () => ({ file: 0o640, folder: 0o750 }),
  stores: () => ({ trash: true, versions: true }),
  now: () => Math.floor(Date.now() / 1000),
  isKnownDraft: async () => false,
  sourceFound: async () => undefined,
  recovered() {},
})
const storage = scopes.storageAt('/')

const keepFor = (cause: Keep['cause']): Keep => ({
  operation: crypto.randomUUID(),
  user: { id: 1, name: 'bench' },
  door: 'bench',
  cause,
})

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function* once() {
  yield content.slice()
}

const save = (keep: Keep | undefined) =>
  storage.write(parsePath('/saved'), once(), { precondition: 'any', length: content.length, keep })

/** There and back again: the folder is the same for all rounds. */
async function renamed(): Promise<number> {
  const time = await timed(() => storage.rename(parsePath('/box'), parsePath('/other'), { replace: false }))
  await storage.rename(parsePath('/other'), parsePath('/box'), { replace: false })
  return time
}

async function removed(): Promise<number> {
  const keep = keepFor('remove')
  let place = parsePath('/')
  const time = await timed(async () => {
    const keptAt = await storage.keepPlace(parsePath('/box'), keep)
    await storage.remove(parsePath('/box'), { keptAt, keep })
    place = keptAt ?? place
  })
  await storage.restore(place, parsePath('/box'), { replace: false })
  return time
}

const pairs = [
  { title: `${files} files to the trash, against a rename`, limit: 1.2, work: removed, reference: renamed },
  {
    title: 'a save with a version, against one without',
    limit: 1.1,
    work: () => timed(() => save(keepFor('save'))),
    reference: () => timed(() => save(undefined)),
  },
]

try {
  mkdirSync(join(home, 'box'))
  for (let number = 0; number < files; number += 1) writeFileSync(join(home, 'box', `file-${number}.txt`), 'x')
  const rows: string[][] = []
  for (const { title, limit, work, reference } of pairs) {
    const [own, others]: [number[], number[]] = [[], []]
    for (let round = -10; round < rounds; round += 1) {
      // The second may find the disk busy with the first.
      const isFirst = round % 2 === 0
      const before = isFirst ? undefined : await reference()
      const sample = await work()
      const other = before ?? (await reference())
      if (round < 0) continue
      own.push(sample)
      others.push(other)
    }
    const ratio = median(own) / median(others)
    rows.push([title, toFigure(median(own)), toFigure(median(others)), ratio.toFixed(2), ratio <= limit ? 'yes' : 'no'])
  }
  console.log(toTable(['work', 'ms', 'against', 'times', 'within its goal'], rows, 1))
} finally {
  scopes.close()
  await rm(home, { recursive: true, force: true })
}
