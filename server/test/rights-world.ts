import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Permission, permissionNames, type Right, rightNames, rightSet } from '@filestead/contract'
import fc from 'fast-check'
import sharp from 'sharp'
import { nextNumber, nextNumbers, touchAccess } from '../src/database/counters.ts'
import { transaction } from '../src/database/port.ts'
import { locationIn } from '../src/mounts/location.ts'
import { parsePath } from '../src/storage/path.ts'
import { changeUser } from '../src/users/users.ts'
import { snapshot } from './disk.ts'
import { completed, Evaluator, type ModelActor, type ModelGrant, type ModelMount } from './rights-evaluator.ts'
import { type Ask, startServer, type TestServer } from './server.ts'

/** Folders that a mount may have; grants may be for those that it has not. */
const folderPaths = ['/', '/a', '/a/b', '/a/b/c', '/a/d', '/e', '/e/a', '/Home'] as const
const groups = [1, 2] as const
export const actorNames = ['ann', 'ben', 'guest'] as const
type ActorName = (typeof actorNames)[number]

interface PlannedUser {
  readonly scope: string
  readonly lacks: readonly Permission[]
  readonly rules: readonly { readonly path: string; readonly allow: boolean }[]
  readonly groups: readonly number[]
}

interface PlannedLink {
  readonly mount: number
  readonly folder: string
  readonly to: { readonly mount: number; readonly path: string }
  readonly isRelative: boolean
}

export interface Scenario {
  readonly folders: readonly (readonly string[])[]
  readonly links: readonly PlannedLink[]
  readonly users: readonly PlannedUser[]
  readonly grants: readonly ModelGrant[]
  readonly isReadOnly: boolean
  readonly steps: readonly Step[]
}

/** What is done, by which actor, with numbers that choose among the paths there are by then. */
export interface Step {
  readonly actor: ActorName
  readonly door: number
  readonly from: number
  readonly to: number
}

const aFolder = fc.constantFrom(...folderPaths)
const aMount = fc.constantFrom(1, 2)
const someRights = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Right[]>([]) },
  { weight: 2, arbitrary: fc.constant<Right[]>(['create']) },
  { weight: 2, arbitrary: fc.constant<Right[]>(['see']) },
  { weight: 3, arbitrary: fc.constant<Right[]>([...rightNames]) },
  { weight: 6, arbitrary: fc.subarray([...rightNames]) },
)
const flags = permissionNames.filter((name) => name !== 'admin' && name !== 'execute')
/** An account that may not download may not share. */
const withoutSharing = (lacks: Permission[]): Permission[] => (lacks.includes('download') ? [...lacks, 'share'] : lacks)
const user = fc.record({
  scope: fc.oneof({ weight: 1, arbitrary: fc.constant('/') }, { weight: 3, arbitrary: aFolder }),
  lacks: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Permission[]>([]) },
    { weight: 1, arbitrary: fc.subarray(flags).map(withoutSharing) },
  ),
  rules: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.record({ path: aFolder, allow: fc.boolean() }), { maxLength: 2 }) },
  ),
  groups: fc.subarray([...groups]),
})

export const scenarios = (steps: number): fc.Arbitrary<Scenario> =>
  fc.record({
    folders: fc.tuple(fc.subarray([...folderPaths]), fc.subarray([...folderPaths])),
    links: fc.array(
      fc.record({
        mount: aMount,
        folder: aFolder,
        to: fc.record({ mount: aMount, path: fc.constantFrom(...folderPaths, '/f.txt', '/a/f.txt', '/a/b/f.txt') }),
        isRelative: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    users: fc.tuple(user, user),
    grants: fc.uniqueArray(
      fc.record({
        subject: fc.constantFrom('user:1', 'user:2', 'group:1', 'group:2', 'everybody', 'guest'),
        mount: aMount,
        folder: aFolder,
        rights: someRights,
      }),
      { maxLength: 9, selector: ({ subject, mount, folder }) => `${subject} ${mount}:${folder}` },
    ),
    isReadOnly: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    steps: fc.array(
      fc.record({ actor: fc.constantFrom(...actorNames), door: fc.nat(999), from: fc.nat(9999), to: fc.nat(9999) }),
      { minLength: steps, maxLength: steps },
    ),
  })

/** A server with one or two mounts, in which a scenario can be set up. */
export interface World extends AsyncDisposable {
  readonly server: TestServer
  readonly mounts: readonly ModelMount[]
  readonly asks: Readonly<Record<ActorName, Ask>>
  readonly admin: Ask
  prepare(scenario: Scenario): Promise<void>
  /** What an actor may do now: changes carry grants along, so these are read again. */
  evaluator(actor: ActorName): Promise<Evaluator>
  storedGrants(): Promise<ModelGrant[]>
  /** Makes a grant, or replaces the rights of the one that the subject has for the folder. */
  grant(grant: ModelGrant): Promise<void>
  /** What is on the disk. */
  snapshot(): Map<string, string>
}

export async function startWorld(count: 1 | 2, { keeps = false } = {}): Promise<World> {
  const server = await startServer()
  const second = join(server.root, '../second')
  mkdirSync(second)
  await server.addUser('ann')
  await server.addUser('ben')
  await server.addUser('admin', { isAdmin: true })
  const { deps } = server.app
  const { db } = deps
  const picture = await sharp({ create: { width: 4, height: 4, channels: 3, background: '#00c' } })
    .png()
    .toBuffer()
  await transaction(db, 'serializable', async (trx) => {
    const facts = { links: 'inside', read_only: 0, source: 'stored' }
    if (count === 2)
      await trx
        .insertInto('mount')
        .values({ id: 2, name: 'Second', folder: second, ...facts })
        .execute()
    const history = JSON.stringify({ trash: keeps ? 'on' : 'off', versions: keeps, snapshots: 'off' })
    await trx.updateTable('mount').set({ history }).execute()
    // Those of the scenarios have lower numbers than grants that go along with a move.
    await nextNumbers(trx, 'grant', 1000)
    for (const id of groups)
      await trx
        .insertInto('circle')
        .values({ id, name: `group ${id}`, source: 'local' })
        .execute()
    await touchAccess(trx)
  })
  await deps.mounts.all()

  let mounts: ModelMount[] = []
  let actors: Record<ActorName, ModelActor>
  const folderOf = (mount: number) => (mount === 1 ? server.root : second)

  function build({ folders, links }: Scenario): void {
    for (const [index, wanted] of folders.entries()) {
      const root = folderOf(index + 1)
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
      for (const folder of ['/', ...wanted]) {
        mkdirSync(join(root, folder), { recursive: true })
        writeFileSync(join(root, folder, 'f.txt'), `text ${index + 1}:${folder}`)
        if (folder.length % 2 === 0) writeFileSync(join(root, folder, 'p.png'), picture)
        else writeFileSync(join(root, folder, 's.srt'), `1\n00:00:01,000 --> 00:00:02,000\n${index + 1}:${folder}\n`)
      }
    }
    for (const [index, { mount, folder, to, isRelative }] of links.entries()) {
      const [place, target] = [join(folderOf(mount), folder), join(folderOf(to.mount), to.path)]
      mkdirSync(place, { recursive: true })
      symlinkSync(isRelative ? relative(place, target) || '.' : target, join(place, `link${index}`))
    }
  }

  async function prepare(planned: Scenario): Promise<void> {
    await establish(count === 2 ? planned : withoutSecond(planned))
  }

  async function establish(scenario: Scenario): Promise<void> {
    build(scenario)
    const planned = scenario.users.map((wanted, index) => ({
      ...wanted,
      id: index + 1,
      name: actorNames[index] ?? 'ann',
    }))
    for (const { scope } of planned) mkdirSync(join(server.root, scope), { recursive: true })
    await transaction(db, 'serializable', async (trx) => {
      await trx.deleteFrom('grant').execute()
      await trx.deleteFrom('member').execute()
      await trx
        .updateTable('mount')
        .set({ read_only: scenario.isReadOnly ? 1 : 0 })
        .where('id', '=', 2)
        .execute()
      for (const [index, { subject, mount, folder, rights }] of scenario.grants.entries())
        await trx
          .insertInto('grant')
          .values({
            id: index + 1,
            subject,
            location: locationIn(mount, parsePath(folder)),
            rights: rightSet(...completed(rights)),
          })
          .execute()
      for (const { id, groups } of planned)
        for (const group of groups) await trx.insertInto('member').values({ user_id: id, circle_id: group }).execute()
      await touchAccess(trx)
    })
    const settings = await deps.settings()
    for (const { id, scope, lacks, rules } of planned) {
      const perm = Object.fromEntries(permissionNames.map((name) => [name, name !== 'admin' && !lacks.includes(name)]))
      await changeUser(deps, settings, id, {
        scope,
        perm: perm as Record<Permission, boolean>,
        rules: rules.map((rule) => ({ ...rule, regex: false, regexp: null })),
      })
    }
    mounts = [
      { id: 1, name: 'Files', folder: server.root, readOnly: false },
      { id: 2, name: 'Second', folder: second, readOnly: scenario.isReadOnly },
    ].slice(0, count)
    const [ann, ben] = planned.map(({ id, name, scope, lacks, rules, groups }): ModelActor => {
      const subjects = [`user:${id}`, ...groups.map((group) => `group:${group}`), 'everybody']
      return { name, subjects, home: scope, lacks, rules }
    })
    const guest: ModelActor = { name: 'guest', subjects: ['guest'], home: undefined, lacks: ['share'], rules: [] }
    actors = { ann: ann as ModelActor, ben: ben as ModelActor, guest }
  }

  async function storedGrants(): Promise<ModelGrant[]> {
    const rows = await db.selectFrom('grant').selectAll().execute()
    return rows.map(({ subject, location, rights }) => {
      const [, mount = '1', folder = '/'] = /^(?:(\d+):)?(\/.*)$/.exec(location) ?? []
      return { subject, mount: Number(mount), folder, rights: rightNames.filter((_right, bit) => rights & (1 << bit)) }
    })
  }

  return {
    server,
    get mounts() {
      return mounts
    },
    asks: { ann: await server.as('ann'), ben: await server.as('ben'), guest: server.ask },
    admin: await server.as('admin'),
    prepare,
    evaluator: async (actor) => new Evaluator(actors[actor], mounts, await storedGrants()),
    storedGrants,
    grant: ({ subject, mount, folder, rights }) =>
      transaction(db, 'serializable', async (trx) => {
        const location = locationIn(mount, parsePath(folder))
        await trx.deleteFrom('grant').where('subject', '=', subject).where('location', '=', location).execute()
        await trx
          .insertInto('grant')
          .values({ id: await nextNumber(trx, 'grant'), subject, location, rights: rightSet(...completed(rights)) })
          .execute()
        await touchAccess(trx)
      }),
    snapshot: () => snapshotOf(mounts),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

/** Without the second mount its grants are nowhere; symlinks may still lead to its folder, which is outside then. */
const withoutSecond = (scenario: Scenario): Scenario => ({
  ...scenario,
  links: scenario.links.filter(({ mount }) => mount === 1),
  grants: scenario.grants.filter(({ mount }) => mount === 1),
})

const snapshotOf = (mounts: readonly ModelMount[]): Map<string, string> =>
  new Map(
    mounts.flatMap(({ id, folder }) =>
      Object.entries(snapshot(folder)).map(([path, content]): [string, string] => [`${id}:/${path}`, content]),
    ),
  )
