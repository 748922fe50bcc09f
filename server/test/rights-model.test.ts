import { afterAll, test } from 'bun:test'
import type { Mount, Why } from '@filestead/contract'
import fc from 'fast-check'
import { jsonIn } from './answers.ts'
import * as changes from './rights-changes.ts'
import { checkNames, checkReading, checkResource, checkWalk, demand, pathsOf, readings } from './rights-doors.ts'
import type { Evaluator } from './rights-evaluator.ts'
import { actorNames, type Scenario, type Step, scenarios, startWorld, type World } from './rights-world.ts'

/**
 * Every door of the server against a slow evaluator of the same description. The scenarios are always the same ones, so
 * that a failure is that of a change. Others, and more of them, by hand: FILESTEAD_RIGHTS_SEED=$RANDOM
 * FILESTEAD_RIGHTS_RUNS=1000.
 */
const runs = Number(process.env.FILESTEAD_RIGHTS_RUNS ?? 40)
const seed = Number(process.env.FILESTEAD_RIGHTS_SEED ?? 1_117)
const longest = process.env.FILESTEAD_RIGHTS_RUNS === undefined ? 12_000 : 24 * 3_600_000

const worlds = [await startWorld(1), await startWorld(2)] as const
afterAll(async () => {
  for (const world of worlds) await world[Symbol.asyncDispose]()
})
const each: [string, World][] = [
  ['one mount', worlds[0]],
  ['two mounts', worlds[1]],
]

const hasGuests = (model: Evaluator): boolean => model.grants.some(({ rights }) => rights.length > 0)

async function check(property: (scenario: Scenario) => Promise<void>, steps: number): Promise<void> {
  const options = { numRuns: runs, seed, interruptAfterTimeLimit: longest, markInterruptAsFailure: false }
  await fc.assert(fc.asyncProperty(scenarios(steps), property), options)
}

test.each(each)(
  'of %s every door that reads shows what the evaluator of rights says, and nothing else',
  async (_title, world) => {
    await check(async (scenario) => {
      await world.prepare(scenario)
      for (const name of actorNames) {
        const [model, ask] = [await world.evaluator(name), world.asks[name]]
        if (name === 'guest' && !hasGuests(model)) continue
        for (const [index, path] of pathsOf(model).entries()) {
          const asked = { model, ask, path }
          await checkResource(asked)
          const choice = (index + scenario.grants.length) % (readings.length + 3)
          const reading = readings[choice]
          if (reading !== undefined) await checkReading(asked, reading)
          else if (choice === readings.length + 2) await checkNames(asked)
          else await checkWalk(asked, choice === readings.length ? 'search' : 'recursive')
        }
      }
    }, 0)
  },
  longest + 60_000,
)

test.each(each)(
  'of %s every change is done where the evaluator of rights allows it, and touches nothing else',
  async (_title, world) => {
    await check(async (scenario) => {
      await world.prepare(scenario)
      for (const [index, step] of scenario.steps.entries()) await change(world, step, index)
    }, 24)
  },
  longest + 60_000,
)

async function change(world: World, { actor, door, from, to }: Step, index: number): Promise<void> {
  const [model, ask] = [await world.evaluator(actor), world.asks[actor]]
  if (actor === 'guest' && !hasGuests(model)) return
  const paths = pathsOf(model)
  const [path, other] = [paths[from % paths.length] ?? '/', paths[to % paths.length] ?? '/']
  const fresh = { model, ask, path: changes.beside(other, to % 3 > 0, index) }
  const there = { model, ask, path }
  const kinds = [
    () => changes.createByPost(fresh),
    () => changes.createByPost(there),
    () => changes.createFolder(fresh),
    () => changes.createByTus(fresh),
    () => changes.createByTus(there),
    () => changes.createByBatch(fresh),
    () => changes.createByBatch(there),
    () => changes.save(there),
    () => changes.save(there),
    () => changes.replace(there),
    () => changes.replace(fresh),
    () => changes.remove(there),
    () => changes.transfer(there, 'copy', fresh.path),
    () => changes.transfer(there, 'copy', fresh.path),
    () => changes.transfer(there, 'copy', other),
    () => changes.transfer(there, 'rename', fresh.path),
    () => changes.transfer(there, 'rename', fresh.path),
    () => changes.transfer(there, 'rename', changes.beside(path, false, index)),
    () => changes.transfer(there, 'rename', changes.beside(path, false, index)),
  ]
  const kind = kinds[door % (kinds.length + 3)]
  if (kind === undefined) return actor === 'guest' ? undefined : changes.checkShare(there, world.server.ask)
  const before = textsFor(model, world.snapshot())
  const wanted = kind()
  await changes.checkChange(model, wanted, world.snapshot)
  // Who may remove something may carry it to where it can be read.
  if (wanted.rights.removed === 'delete') return
  const revealed = textsFor(await world.evaluator(actor), world.snapshot()).difference(before)
  demand(revealed.size === 0, `${model.actor.name}: ${wanted.title} opened`, [...revealed])
}

/** What an actor may read of the files that a scenario begins with, which differ, wherever they are by now. */
function textsFor(model: Evaluator, files: ReadonlyMap<string, string>): Set<string> {
  const texts = [...files].filter(([key, content]) => {
    const [, mount, path = '/'] = /^(\d+):(\/.*)$/.exec(key) ?? []
    return content.startsWith('text ') && model.may('download', { mount: Number(mount), path })
  })
  return new Set(texts.map(([, content]) => content))
}

test(
  'what an administrator is told about rights is what the evaluator says',
  async () => {
    const [, world] = worlds
    await check(async (scenario) => {
      await world.prepare(scenario)
      for (const [index, name] of (['ann', 'ben'] as const).entries()) {
        const model = await world.evaluator(name)
        const mounts = await jsonIn<Mount[]>(world.asks[name]('/api/mounts'))
        const [shown, expected] = [mounts.map(({ path }) => path), model.parts.map((part) => `/${part.name}`)]
        demand(JSON.stringify(shown.sort()) === JSON.stringify(expected.sort()), name, 'has', shown, 'not', expected)
        for (const folder of ['/', '/a', '/a/b', '/e/a', '/nothing'])
          for (const mount of [1, 2]) {
            const place = { mount, path: folder }
            const address = `/api/access/why?subject=user:${index + 1}&mount=${mount}&folder=${encodeURIComponent(folder)}`
            const why = await jsonIn<Why>(world.admin(address))
            const rights = model.rightsAt(place).filter((right) => model.may(right, place) && model.flagFor(right))
            demand(JSON.stringify(why.rights) === JSON.stringify(rights), address, 'says', why, 'not', rights)
            demand(why.reason.length > 0 && why.change.length > 0, address, 'gives no reason', why)
          }
      }
    }, 0)
  },
  longest + 60_000,
)
