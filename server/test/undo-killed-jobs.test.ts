import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isOver, type Job, type Trash } from '@filestead/contract'
import { zipOf } from '../src/archives/reading/archives.fixture.ts'
import { type Program, startProgram, until } from './process.ts'
import { operationsOf, startJob, treeIn } from './random-changes.ts'

const folders = 3
const filesEach = 36

let program: Program
beforeAll(async () => {
  program = await startProgram()
}, 120_000)
afterAll(() => program.end())

/** Folders with files, of which every third one is called as one in the other tree, and every sixth is the same. */
function* planted(text: string) {
  for (let folder = 0; folder < folders; folder += 1)
    for (let file = 0; file < filesEach; file += 1) {
      const isSame = file % 6 === 0
      const name = `folder ${folder}/${file % 3 === 0 ? '' : `${text} `}${file}.txt`
      yield { name, isSame, content: isSame ? 'same' : `${text} ${folder} ${file}` }
    }
}

function plant(top: string, text: string): void {
  for (const { name, isSame, content } of planted(text)) {
    const place = join(program.root, top, name)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
    if (isSame) utimesSync(place, 1_700_000_000, 1_700_000_000)
  }
}

const tree = () => treeIn({ '': program.root })
/** Of what shows: what is extracted lies hidden in its folder first. */
const countIn = (folder: string): number =>
  existsSync(join(program.root, folder))
    ? readdirSync(join(program.root, folder), { recursive: true, encoding: 'utf8' }).filter(
        (name) => !name.startsWith('.filestead-'),
      ).length
    : 0

/** Kills the server when a part of the job is done, starts it again, and waits for the end of the job. */
async function killedIn(request: object, isBegun: () => boolean): Promise<string> {
  const answer = await program.ask('/api/jobs', { method: 'POST', body: JSON.stringify(request) })
  const { id } = (await answer.json()) as Job
  // Without a pause: all of it takes some milliseconds.
  while (!isBegun()) await Bun.sleep(0)
  await program.kill()
  await program.start()
  await finished(id)
  await until(async () => (await operationsOf(program.ask)).every(({ why }) => why !== 'under-way'))
  return id
}

/** Jobs go on after the answer, and a busy machine takes long for them. */
async function finished(id: string): Promise<void> {
  const job = async () => ((await (await program.ask('/api/jobs')).json()) as Job[]).find((each) => each.id === id)
  // One that was over before the kill is not listed any more.
  await until(async () => isOver((await job())?.state ?? 'done'), 60_000)
  const { state = 'done', failures = [] } = (await job()) ?? {}
  expect([state, failures]).toEqual(['done', []])
}

async function undo(operation: string): Promise<void> {
  const { id, message } = await startJob(program.ask, { kind: 'undo', operation })
  expect(message).toBeUndefined()
  await finished(id)
}

/** Back and forth. */
async function takeBack(id: string, before: Record<string, string>): Promise<void> {
  const after = tree()
  expect(after).not.toEqual(before)
  await undo(id)
  expect(tree()).toEqual(before)
  const redo = async () => undo((await operationsOf(program.ask))[0]?.id ?? '')
  await redo()
  expect(tree()).toEqual(after)
  await redo()
  expect(tree()).toEqual(before)
}

test('a move that is merged and killed in the middle is taken back', async () => {
  plant('m1', 'one')
  plant('m2', 'two')
  const before = tree()
  const [all, there] = [countIn('m1'), countIn('m2')]
  const move = { kind: 'move', items: [{ from: '/m1', to: '/m2' }], onConflict: 'replace' }
  await takeBack(await killedIn(move, () => countIn('m1') < all || countIn('m2') > there), before)
}, 120_000)

test('a copy that is merged and killed in the middle is taken back', async () => {
  plant('c1', 'one')
  plant('c2', 'two')
  const before = tree()
  const there = countIn('c2')
  const copy = { kind: 'copy', items: [{ from: '/c1', to: '/c2' }], onConflict: 'replace' }
  await takeBack(await killedIn(copy, () => countIn('c2') > there), before)
}, 120_000)

test('an archive that is extracted into a folder and killed while that is shown is taken back', async () => {
  plant('e', 'two')
  writeFileSync(join(program.root, 'e.zip'), zipOf([...planted('one')]))
  const before = tree()
  const there = countIn('e')
  const extract = { kind: 'extract', from: '/e.zip', to: '/e', onConflict: 'replace' }
  await takeBack(await killedIn(extract, () => countIn('e') > there), before)
}, 120_000)

test('a removal of many that is killed in the middle is taken back, and so is a restore of many that are merged', async () => {
  plant('r', 'one')
  const before = tree()
  const items = Array.from({ length: folders }, (_, folder) => `/r/folder ${folder}`)
  const all = countIn('r')
  const removal = await killedIn({ kind: 'delete', items }, () => countIn('r') < all)
  expect(countIn('r')).toBe(0)
  plant('r', 'two')
  const removed = tree()
  const there = countIn('r')
  const trash = ((await (await program.ask('/api/trash')).json()) as Trash).items
  const kept = trash.filter(({ path }) => path.startsWith('/r/'))
  const request = {
    kind: 'restore',
    items: kept.map(({ past, path }) => ({ past, from: path, to: path })),
    onConflict: 'replace',
  }
  await takeBack(await killedIn(request, () => countIn('r') > there), removed)
  for (let folder = 0; folder < folders; folder += 1)
    await program.ask(`/api/resources/r/folder%20${folder}`, { method: 'DELETE' })
  await undo(removal)
  expect(tree()).toEqual(before)
}, 180_000)
