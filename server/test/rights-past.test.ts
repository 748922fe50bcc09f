import { afterAll, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  encodePath,
  type FolderResource,
  parentOf,
  type Resource,
  type Right,
  rightNames,
  type Trash,
} from '@filestead/contract'
import fc from 'fast-check'
import { jsonIn } from './answers.ts'
import { demand } from './rights-doors.ts'
import { joined, type ModelActor, type ModelGrant, type Place } from './rights-evaluator.ts'
import { type ModelItem, PastModel } from './rights-past-model.ts'
import { actorNames, type Scenario, type Step, scenarios, startWorld, type World } from './rights-world.ts'
import type { Ask } from './server.ts'

/**
 * What is removed and replaced, by every door that reads, against a slow evaluator of the same description; more of them by
 * hand, as in rights-model.test.ts.
 */
const runs = Number(process.env.FILESTEAD_RIGHTS_RUNS ?? 16)
const seed = Number(process.env.FILESTEAD_RIGHTS_SEED ?? 2_117)
const longest = process.env.FILESTEAD_RIGHTS_RUNS === undefined ? 15_000 : 24 * 3_600_000

const worlds = [await startWorld(1, { keeps: true }), await startWorld(2, { keeps: true })] as const
afterAll(async () => {
  for (const world of worlds) await world[Symbol.asyncDispose]()
})
const each: [string, World][] = [
  ['one mount', worlds[0]],
  ['two mounts', worlds[1]],
]

test.each(each)(
  'of %s what is removed and replaced is seen as the evaluator of rights says of the place that it had',
  async (_title, world) => {
    const property = async (scenario: Scenario) => {
      const model = await begin(world, scenario)
      for (const [index, step] of scenario.steps.entries()) {
        await change(world, model, step, index)
        if (index % 4 === 3) await checkAll(world, model)
      }
    }
    const options = { numRuns: runs, seed, interruptAfterTimeLimit: longest, markInterruptAsFailure: false }
    await fc.assert(fc.asyncProperty(scenarios(12), property), options)
  },
  longest + 60_000,
)

/** Names that are there, or were: what is removed comes again, and folders around it go as well. */
const paths = ['/a', '/a/b', '/a/b/c', '/a/d', '/e', '/e/a', '/a/f.txt', '/a/b/f.txt', '/e/f.txt', '/f.txt', '/Home']
const kinds = ['remove', 'remove', 'remove', 'move', 'move', 'make', 'grant', 'grant', 'restore', 'replace'] as const
const given = [[], ['see'], ['see', 'download']] as const satisfies Right[][]

/** Rights at every place that has any, so that an administrator can do all of it by the doors of the server. */
const boss: ModelActor = { name: 'admin', subjects: ['user:3', 'everybody'], home: '/', lacks: [], rules: [] }
const bossGrant = (mount: number, folder: string): ModelGrant => ({
  subject: 'user:3',
  mount,
  folder,
  rights: rightNames,
})

async function begin(world: World, scenario: Scenario): Promise<PastModel> {
  await world.prepare({ ...scenario, isReadOnly: false })
  const places = [...(await world.storedGrants()), ...world.mounts.map(({ id }) => ({ mount: id, folder: '/' }))]
  for (const { mount, folder } of places) await world.grant(bossGrant(mount, folder))
  await world.server.app.deps.db.deleteFrom('kept').execute()
  return new PastModel(await world.storedGrants(), world.mounts)
}

async function change(world: World, model: PastModel, step: Step, index: number): Promise<void> {
  const { admin, mounts } = world
  const mount = mounts[step.to % mounts.length]
  const path = paths[step.from % paths.length] ?? '/a'
  if (mount === undefined) return
  const at = { mount: mount.id, path }
  const full = join(mount.folder, path)
  const kind = kinds[step.door % kinds.length]
  const isThere = existsSync(full)
  const pathOf = (place: Place) => model.present(boss).pathsTo(place)[0] ?? '/'
  const address = `/api/resources${encodePath(pathOf(at))}`
  const done = async (what: string, pending: Promise<Response>) => {
    const { status } = await pending
    demand(status < 300, `${what} ${at.mount}:${path} answered ${status}`)
  }
  if (kind === 'remove' && isThere) {
    const item = model.remove(at)
    await done('DELETE', admin(address, { method: 'DELETE' }))
    item.id = await newest(world)
  }
  if (kind === 'replace' && isThere && path.endsWith('.txt')) {
    const item = model.replace(at)
    await done('PUT', admin(address, { method: 'PUT', body: `replaced ${index}` }))
    item.id = await newest(world)
  }
  if (kind === 'move' && isThere) {
    const other = mounts[(step.to >> 3) % mounts.length] ?? mount
    const to = { mount: other.id, path: joined(other === mount ? parentOf(path) : '/', `/moved${index}`) }
    const destination = encodeURIComponent(pathOf(to))
    await done('PATCH', admin(`${address}?action=rename&destination=${destination}`, { method: 'PATCH' }))
    model.move(at, to)
  }
  if (kind === 'make' && !isThere) {
    mkdirSync(path.endsWith('.txt') ? dirname(full) : full, { recursive: true })
    writeFileSync(path.endsWith('.txt') ? full : join(full, 'f.txt'), `made ${index}`)
  }
  if (kind === 'grant') {
    // Often where something was that is kept.
    const item = model.items[step.from % (model.items.length + 1)]
    const place = item === undefined ? at : model.origin(item)
    const subject = ['user:1', 'everybody', 'guest'][step.to % 3] ?? 'user:1'
    const own = bossGrant(place.mount, place.path)
    for (const grant of [{ ...own, subject, rights: given[step.from % 3] ?? [] }, own]) {
      await world.grant(grant)
      model.give(grant)
    }
  }
  const items = model.items.filter((item) => item.store === 'trash' && item.within === undefined)
  const item = items[step.from % items.length]
  if (kind === 'restore' && item !== undefined) await restore(world, model, item, pathOf(item.at))
}

async function restore({ admin, mounts }: World, model: PastModel, item: ModelItem, path: string): Promise<void> {
  const { mount, path: place } = item.at
  const folder = mounts.find(({ id }) => id === mount)?.folder ?? ''
  if (existsSync(join(folder, place)) || !existsSync(join(folder, parentOf(place)))) return
  const items = [{ past: `k.${item.id}`, from: path, to: path }]
  const answer = await admin('/api/jobs', {
    method: 'POST',
    headers: { prefer: 'wait=20' },
    body: JSON.stringify({ kind: 'restore', items }),
  })
  const job = await answer.text()
  demand(existsSync(join(folder, place)), `restoring ${mount}:${place} answered ${answer.status}`, job)
  model.restore(item)
}

/** The id of what was kept last. */
async function newest({ server }: World): Promise<string> {
  const { db } = server.app.deps
  const rows = await db.selectFrom('kept').select('id').orderBy('kept_at', 'desc').orderBy('id', 'desc').execute()
  return rows.find(({ id }) => !known.has(id) && known.add(id))?.id ?? 'none'
}
const known = new Set<string>()

async function checkAll(world: World, model: PastModel): Promise<void> {
  for (const name of actorNames) {
    const { actor } = await world.evaluator(name)
    const present = model.present(actor)
    if (name === 'guest' && present.parts.length === 0) continue
    for (const item of model.items) await checkItem(model, item, actor, world.asks[name])
    if (name === 'guest') continue
    const { items } = await jsonIn<Trash>(world.asks[name]('/api/trash'))
    const seen = model.items.filter(
      (item) =>
        item.store === 'trash' && present.pathsTo(model.origin(item)).length > 0 && model.isVisible(actor, item),
    )
    const [told, expected] = [items, seen].map((all) => all.map(({ id }) => id).sort())
    demand(told?.join() === expected?.join(), `${name} has in the trash`, told, 'not', expected)
  }
}

async function checkItem(model: PastModel, item: ModelItem, actor: ModelActor, ask: Ask): Promise<void> {
  const present = model.present(actor)
  const origin = model.origin(item)
  const known = present.pathsTo(origin)
  const isSeen = known.length > 0 && model.isVisible(actor, item)
  const can = (path: string) => isSeen && model.may(actor, 'download', item, path)
  const tell = (path: string, ...more: unknown[]) => [
    `${actor.name}: ${item.store} ${item.id} of ${origin.mount}:${origin.path} ${path}`,
    ...more,
  ]
  const [first = origin.path, ...others] = known
  for (const [index, [path, text]] of [...item.contents].entries()) {
    const at = [first, ...others][index % (others.length + 1)] ?? first
    const address = `${encodePath(joined(at, path))}?past=k.${item.id}`
    const looked = await ask(`/api/resources${address}`)
    const body = await looked.text()
    const expected = !isSeen ? 404 : model.isVisible(actor, item, path) ? 200 : 403
    demand(looked.status === expected, ...tell(path, 'answered', looked.status, 'not', expected, body))
    if (looked.status === 200 && text === undefined) {
      const names = (JSON.parse(body) as FolderResource).items.map(({ name }) => name).filter((name) => !isLink(name))
      const inside = [...item.contents.keys()].filter((other) => other !== '/' && parentOf(other) === path)
      const seen = inside
        .filter((other) => model.isVisible(actor, item, other))
        .map((other) => other.slice(other.lastIndexOf('/') + 1))
      demand(names.sort().join() === seen.sort().join(), ...tell(path, 'lists', names, 'not', seen))
    }
    if (text === undefined) continue
    const isReadable = can(path) && present.has('download')
    if (looked.status === 200)
      demand(isReadable || !('content' in (JSON.parse(body) as Resource)), ...tell(path, 'tells its content'))
    const sent = await ask(`/api/raw${address}`)
    const got = await sent.text()
    demand((sent.status === 200) === isReadable, ...tell(path, 'was sent', sent.status, 'but should be', isReadable))
    demand(!isReadable || path.endsWith('.png') || got === text, ...tell(path, 'has', got, 'not', text))
  }
}

const isLink = (name: string): boolean => name.startsWith('link')
