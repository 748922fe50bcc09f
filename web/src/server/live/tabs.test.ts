import { afterEach, expect, test } from 'bun:test'
import { noFolders, type OpenFolders } from './open-folders.ts'
import { joinTabs } from './tabs.ts'

const times = {
  joining: 30,
  settling: 10,
  asking: 40,
  askingHidden: 40,
  answering: 30,
  looking: 30,
  overlap: 60,
  forgotten: 200,
}

let nameCount = 0
const open: { leave(): void }[] = []
afterEach(() => {
  for (const tab of open.splice(0)) tab.leave()
})

/** A tab that notes what it is told. A frozen one neither hears nor says anything. */
function tab(name: string, { isVisible = true } = {}) {
  const seen = {
    isVisible,
    isConnected: false,
    connections: 0,
    wasHandedOver: null as boolean | null,
    open: [] as OpenFolders[],
    news: [] as string[],
    newTabs: 0,
    folders: null as readonly string[] | null,
  }
  const member = joinTabs<string>({
    name,
    times,
    isVisible: () => seen.isVisible,
    onLeading(signal, isHandover) {
      seen.connections += 1
      seen.isConnected = true
      seen.wasHandedOver = isHandover()
      signal.addEventListener('abort', () => {
        seen.isConnected = false
      })
      // A connection is there a moment later.
      setTimeout(() => !signal.aborted && member.setFolders(['/']), 5)
    },
    onOpen: (tabs) => {
      seen.open = [...tabs]
    },
    onNews: (news) => seen.news.push(news),
    onNewTab: () => {
      seen.newTabs += 1
    },
    onStatus: ({ folders }) => {
      seen.folders = folders
    },
  })
  open.push(member)
  return { ...member, seen }
}

const newName = () => `tabs ${process.pid} ${nameCount++}`

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2)
}

const listing = (path: string): OpenFolders => ({ ...noFolders, listings: [path] })

test('of ten tabs that open at once exactly one has a connection, and the others are told of it', async () => {
  const name = newName()
  const tabs = Array.from({ length: 10 }, () => tab(name))
  await until(() => tabs.every(({ seen }) => seen.folders !== null))
  expect(tabs.filter(({ seen }) => seen.isConnected).length).toBe(1)
  expect(tabs.reduce((sum, { seen }) => sum + seen.connections, 0)).toBe(1)
})

test('the leading tab hears which folders all tabs show, and what it tells reaches all others', async () => {
  const name = newName()
  const first = tab(name)
  await until(() => first.seen.isConnected)
  const second = tab(name)
  second.setOpen(listing('/b'))
  first.setOpen(listing('/a'))
  await until(() => first.seen.open.flatMap(({ listings }) => listings).join() === '/a,/b')
  expect(first.seen.newTabs).toBe(1)
  first.tell('news')
  await until(() => second.seen.news.length > 0)
  expect([first.seen.news, second.seen.news]).toEqual([[], ['news']])
  second.leave()
  await until(() => first.seen.open.length === 1)
})

test('when the leading tab is closed another one connects, and goes on after the last event', async () => {
  const name = newName()
  const first = tab(name)
  await until(() => first.seen.isConnected)
  const others = [tab(name, { isVisible: false }), tab(name)]
  await until(() => others.every(({ seen }) => seen.folders !== null))
  first.setLast('1-7')
  first.setFolders(['/'])
  await until(() => others.every(({ last }) => last() === '1-7'))
  first.leave()
  await until(() => others.some(({ seen }) => seen.isConnected))
  expect(others.map(({ seen }) => seen.isConnected)).toEqual([false, true])
  expect(others[1]?.seen.wasHandedOver).toBe(false)
  expect(others[1]?.last()).toBe('1-7')
  expect(first.seen.isConnected).toBe(false)
})

test('a tab that is looked at takes over from one in the background, which keeps its connection until then', async () => {
  const name = newName()
  const first = tab(name)
  await until(() => first.seen.folders !== null)
  const second = tab(name, { isVisible: false })
  await until(() => second.seen.folders !== null)
  first.seen.isVisible = false
  first.noteVisibility()
  second.seen.isVisible = true
  second.noteVisibility()
  let wasCut = false
  await until(() => {
    wasCut ||= !first.seen.isConnected && !second.seen.isConnected
    return second.seen.isConnected && !first.seen.isConnected
  })
  expect(wasCut).toBe(false)
  expect(second.seen.wasHandedOver).toBe(true)
  expect(first.seen.connections + second.seen.connections).toBe(2)
})

test('a leading tab that no longer answers is replaced, and gives way when it is awake again', async () => {
  const name = newName()
  // A tab that leads and is frozen: it has said so once, and says nothing more.
  const frozen = new BroadcastChannel(name)
  const follower = tab(name)
  const say = () =>
    frozen.postMessage({
      ...{ kind: 'leading', tab: 'frozen', since: Date.now() - 1000, isVisible: true },
      status: { folders: ['/'], last: '1-3' },
    })
  say()
  await until(() => follower.seen.folders !== null)
  expect(follower.seen.isConnected).toBe(false)
  await until(() => follower.seen.isConnected)
  expect([follower.seen.wasHandedOver, follower.last()]).toEqual([false, '1-3'])
  const { promise: answered, resolve } = Promise.withResolvers<unknown>()
  frozen.onmessage = ({ data }) => data.kind === 'leading' && resolve(data.tab)
  say()
  expect(await answered).not.toBe('frozen')
  expect(follower.seen.isConnected).toBe(true)
  frozen.close()
})

test('tabs of another session have a connection of their own', async () => {
  const [one, other] = [tab(newName()), tab(newName())]
  await until(() => one.seen.isConnected && other.seen.isConnected)
  expect(one.seen.connections + other.seen.connections).toBe(2)
})
