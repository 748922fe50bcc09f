import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOver, rightNames as rights } from '@filestead/contract'
import { draftsBelow } from './disk.ts'
import { type Cluster, hasContainers, obstacle, startCluster } from './nodes.ts'
import { type Kills, killsIn } from './nodes-kills.ts'
import { type Person, personWith } from './nodes-person.ts'
import { firstSteps, steps, type Tree } from './nodes-steps.ts'
import { admin, askAs, run, signIn, until } from './process.ts'
import { randomFrom, treeIn } from './random-changes.ts'

/** In minutes: how long servers are killed. Without it a few kills have to do. */
const minutes = Number(process.env.FILESTEAD_SOAK_MINUTES ?? 0)
const seed = Number(process.env.FILESTEAD_SOAK_SEED ?? 2_411)
const names = ['ann', 'bob', 'cy']
const password = 'a long password of theirs'

setDefaultTimeout((minutes + 5) * 60_000)

/** A folder on a file system of its own where that is possible, so that a move to it has to copy. */
function newVolume(): Disposable & { folder: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-soak-')))
  Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=1g', 'tmpfs', folder], { stderr: 'ignore' })
  return {
    folder,
    [Symbol.dispose]() {
      Bun.spawnSync(['umount', '-l', folder], { stderr: 'ignore' })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Folders of a story, and what may be in them. */
interface Ending {
  readonly folders: readonly string[]
  readonly trees: readonly Tree[]
}

async function enrol({ ask, url }: Cluster, name: string): Promise<string> {
  const perm = Object.fromEntries(
    ['create', 'rename', 'modify', 'delete', 'share', 'download'].map((one) => [one, true]),
  )
  const data = { username: name, password, scope: '/', perm }
  const body = JSON.stringify({ what: 'user', which: [], current_password: admin.password, data })
  expect((await ask('/api/users', { method: 'POST', body })).status).toBe(201)
  return signIn(url, { username: name, password })
}

/** Many files on the disk, which are copied, packed and summed up, and never changed. */
function plant(root: string, name: string): Tree {
  for (let index = 0; index < 200; index += 1) {
    mkdirSync(join(root, name, `many/${index % 9}`), { recursive: true })
    writeFileSync(join(root, name, `many/${index % 9}/${index}.txt`), `${name} ${index} `.repeat(1 + index * 3))
  }
  return { [`/Files/${name}/many/`]: 'folder', ...treeIn({ [`/Files/${name}/many`]: join(root, name, 'many') }) }
}

/** One story after the other, until it is said to end. */
async function live(person: Person, many: Tree, isEnough: () => boolean): Promise<Ending[]> {
  const endings: Ending[] = []
  for (let number = 0; !isEnough(); number += 1) {
    const top = `${number}`
    const folders = [`/Files/${person.name}/${top}`, `/Other/${person.name}/${top}`] as const
    const since = Date.now()
    for (const folder of folders) await insist(person, `/api/resources${folder}/`)
    await person.told(top, since)
    let trees: readonly Tree[] = [{}]
    let count = 0
    const name = () => {
      count += 1
      // Not a number, as the names in the copied trees are.
      return `new-${count}`
    }
    for (let left = 3 + person.random(6); left > 0 && trees.length === 1; left -= 1) {
      const [tree = {}] = trees
      const choices = count === 0 ? firstSteps : steps
      const step = choices[person.random(choices.length)]
      const story = { person, folders, many: { path: `/Files/${person.name}/many`, tree: many }, tree, name }
      trees = (await step?.(story)) ?? trees
    }
    endings.push({ folders, trees })
  }
  return endings
}

/** Makes a folder, which a request may have made whose answer did not come. */
async function insist(person: Person, path: string): Promise<void> {
  for (let isRepeated = false; ; isRepeated = true) {
    const answer = await person.attempt(path, { method: 'POST' })
    if (answer?.ok || (isRepeated && answer?.status === 409)) return
    if (answer !== undefined) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    await Bun.sleep(50)
  }
}

/** Nothing is under way any more: no job, and no rest of anything on the disks or in the database. */
async function expectSettled(cluster: Cluster, roots: readonly string[]): Promise<void> {
  const left = async () => {
    const jobs = await cluster.rows<{ state: 'done' }>('select id, kind, state from job')
    const found: unknown[] = jobs.filter(({ state }) => !isOver(state))
    // The row of an upload whose server died at its very end has no draft any more, and expires.
    for (const table of ['draft', 'remote_draft', 'change', 'leaving', 'operation where node is not null'])
      found.push(...(await cluster.rows(`select * from ${table}`)))
    return [...found, ...roots.flatMap(draftsBelow)]
  }
  await until(async () => (await left()).length === 0, 120_000).catch(async () => expect(await left()).toEqual([]))
}

async function expectSignedIn({ alive }: Kills, tokens: readonly string[]): Promise<void> {
  for (const { url } of alive)
    for (const token of tokens) expect((await askAs(url, token)('/api/resources/')).status).toBe(200)
}

test.if(obstacle === '')(
  `two servers behind nginx that are killed at random lose nothing and sign nobody out${obstacle}`,
  async () => {
    using volume = newVolume()
    const other = volume.folder
    await using cluster = await startCluster(2, {
      flags: ['--mount', `Other=${other}`, '--nodeTimeout', '8s'],
      isContained: hasContainers && minutes > 0,
    })
    const grant = { subject: 'everybody', mount: 2, folder: '/', rights }
    expect((await cluster.ask('/api/grants', { method: 'POST', body: JSON.stringify(grant) })).status).toBe(201)
    const kills = killsIn(cluster, randomFrom(seed))
    const problems: string[] = []
    const tokens: string[] = []
    const people: Person[] = []
    const lives: Promise<Ending[]>[] = []
    let isEnough = false
    for (const [index, name] of names.entries()) {
      const token = await enrol(cluster, name)
      tokens.push(token)
      const many = plant(cluster.root, name)
      mkdirSync(join(other, name))
      const person = personWith({
        name,
        kills,
        folder: `/Files/${name}`,
        ask: askAs(cluster.url, token),
        random: randomFrom(seed + index + 1),
        report: (problem) => {
          if (minutes > 0) console.log(`${new Date().toISOString()} ${problem}\n${cluster.proxyErrors()}`)
          problems.push(problem)
        },
      })
      people.push(person)
      lives.push(live(person, many, () => isEnough))
    }
    await kills.run({ kills: 3, until: Date.now() + minutes * 60_000, pause: minutes > 0 ? 9000 : 1500 })
    isEnough = true
    const endings = (await Promise.all(lives)).flat()
    for (const person of people) await person.leave()
    expect(problems).toEqual([])

    const roots = { '/Files': cluster.root, '/Other': other }
    await expectSettled(cluster, Object.values(roots))
    const tree = treeIn(roots)
    for (const { folders, trees } of endings) {
      const found = Object.fromEntries(
        Object.entries(tree).filter(([path]) =>
          folders.some((folder) => path.startsWith(`${folder}/`) && path !== `${folder}/`),
        ),
      )
      if (trees.length > 0) expect(trees).toContainEqual(found)
    }
    await expectSignedIn(kills, tokens)
    expect(await cluster.rows('select id from node')).toHaveLength(2)
    const { code, stdout } = await run(['doctor', '-d', cluster.address, '-r', cluster.root, '--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { works: true, problems: 0 }])
    const sizes = endings.map(({ trees }) => trees.length)
    console.log(
      `soak: ${kills.count} kills, ${endings.length} stories, ${sizes.filter((size) => size > 1).length} with an answer that did not come`,
    )
  },
)
