import { expect, test } from 'bun:test'
import { readAhead, type TreeLevel } from './read-ahead.ts'

type Tree = { [name: string]: Tree }

interface Level extends TreeLevel<{ name: string; tree: Tree }> {
  readonly name: string
}

const wide = (count: number, below: () => Tree = () => ({})): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, below()]))

function levelOf(name: string, tree: Tree): Level {
  const places = Object.entries(tree).map(([below, tree]) => ({ name: `${name}/${below}`, tree }))
  return { name, folders: places[Symbol.iterator]() }
}

/** Walks as a caller does: every folder of a level is entered and left. */
async function walk(tree: Tree, read: (name: string, hold?: () => void) => void | Promise<void>, most = 1e9) {
  const found: string[] = []
  const ahead = readAhead<{ name: string; tree: Tree }, Level>(levelOf('', tree), async ({ name, tree }, hold) => {
    await read(name, hold)
    return levelOf(name, tree)
  })
  async function enterAll(tree: Tree): Promise<void> {
    for (const below of Object.values(tree)) {
      if (found.length === most) return
      const level = await ahead.enter().catch((error: Error) => error.message)
      found.push(typeof level === 'string' ? level : level.name)
      if (typeof level === 'string') continue
      await enterAll(below)
      ahead.leave()
    }
  }
  await enterAll(tree)
  return found
}

const threeLevels = () => wide(6, () => wide(5, () => wide(2)))
const inOrder = (tree: Tree, name = ''): string[] =>
  Object.entries(tree).flatMap(([below, tree]) => [`${name}/${below}`, ...inOrder(tree, `${name}/${below}`)])

test('folders are entered in order, and each is read once', async () => {
  const read: string[] = []
  expect(await walk(threeLevels(), (name) => void read.push(name))).toEqual(inOrder(threeLevels()))
  expect(read.toSorted()).toEqual(inOrder(threeLevels()).toSorted())
})

test('a few folders are read at the same time, and a few wait to be entered', async () => {
  let [reading, most, begun] = [0, 0, 0]
  const found = await walk(
    wide(100, () => wide(3)),
    async () => {
      begun += 1
      reading += 1
      most = Math.max(most, reading)
      await Bun.sleep(0)
      reading -= 1
    },
    50,
  )
  expect(found.length).toBe(50)
  expect(most).toBe(8)
  expect(begun - found.length).toBeLessThanOrEqual(32)
})

test('a walk that ends soon has read little in vain', async () => {
  let read = 0
  await walk(
    wide(100),
    () => {
      read += 1
    },
    2,
  )
  expect(read).toBeLessThan(6)
})

test('a large folder is read again when its turn comes, and is not kept before', async () => {
  const held: string[] = []
  const found = await walk(wide(20), (name, hold) => {
    if (name === '/15') hold?.()
    if (name === '/15') held.push(name)
  })
  expect(found).toEqual(inOrder(wide(20)))
  expect(held).toEqual(['/15'])
})

test('a folder that cannot be read fails where it is entered, and the others come', async () => {
  const found = await walk(wide(20), (name) => {
    if (name === '/12') throw new Error('closed')
  })
  expect(found).toEqual(inOrder(wide(20)).map((name) => (name === '/12' ? 'closed' : name)))
})
