import { beforeEach, expect, mock, test } from 'bun:test'

interface Entry {
  state: { depth?: number } | null
  url: string
}

/** Steps are made one at a time and later, as in a browser. */
class FakeHistory {
  entries: Entry[] = [{ state: null, url: '/files/' }]
  at = 0
  pending: Promise<void> = Promise.resolve()

  get state() {
    return this.entries[this.at]?.state ?? null
  }
  get url() {
    return this.entries[this.at]?.url ?? ''
  }
  pushState(state: Entry['state'], _: string, url: string) {
    this.entries = [...this.entries.slice(0, this.at + 1), { state, url }]
    this.at += 1
  }
  replaceState(state: Entry['state'], _: string, url = this.url) {
    this.entries[this.at] = { state, url }
  }
  back() {
    this.go(-1)
  }
  go(step: number) {
    this.pending = this.pending
      .then(() => Bun.sleep(2))
      .then(() => {
        const next = this.at + step
        if (step === 0 || next < 0 || next >= this.entries.length) return
        this.at = next
        page.dispatchEvent(new Event('popstate'))
      })
  }
}

const page = new EventTarget()
const history = new FakeHistory()
const location = {
  get pathname() {
    return history.url
  },
  search: '',
}
const navigation = {
  canGoForward: true,
  get currentEntry() {
    return { index: history.at }
  },
  entries: () =>
    history.entries.map(({ url }) => ({ url: `http://localhost${url}`, sameDocument: !url.includes('#') })),
}
Object.assign(globalThis, {
  window: { location, navigation },
  history,
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
})
const { currentLocation, goTo, guardLeaving, isGuarded, navigate } = await import('./location.ts')
const { goBackTo, returnTo } = await import('./return-to.ts')

/** Until all steps, and the corrections that follow them, are made. */
async function rest(): Promise<void> {
  for (let last = null; last !== history.pending; ) {
    last = history.pending
    await last
    await Bun.sleep(200)
  }
}

beforeEach(async () => {
  goTo('/files/a/')
  goTo('/files/a/b.txt')
})

test('back without a guard is followed', async () => {
  history.go(-1)
  await rest()
  expect([currentLocation().pathname, history.url]).toEqual(['/files/a/', '/files/a/'])
})

for (const presses of [1, 2, 3])
  test(`back pressed ${presses} times with unsaved changes asks once and stays after "no"`, async () => {
    goTo('/files/a/c.txt')
    goTo('/files/a/d.txt')
    history.go(-1)
    await rest()
    const answer = Promise.withResolvers<boolean>()
    const guard = mock(() => answer.promise)
    const release = guardLeaving(guard)
    for (let press = 0; press < presses; press += 1) history.go(-1)
    await rest()
    expect([currentLocation().pathname, history.url]).toEqual(['/files/a/c.txt', '/files/a/c.txt'])
    expect(guard).toHaveBeenCalledTimes(1)

    // Once more, over the open question.
    history.go(-1)
    await rest()
    expect([history.url, guard.mock.calls.length]).toEqual(['/files/a/c.txt', 1])
    answer.resolve(false)
    await rest()
    expect([currentLocation().pathname, history.url, isGuarded()]).toEqual(['/files/a/c.txt', '/files/a/c.txt', true])
    release()
  })

test('back is made after "yes", and the guard is asked again only for the next step', async () => {
  const guard = mock(async () => true)
  const release = guardLeaving(guard)
  history.go(-1)
  await rest()
  expect([currentLocation().pathname, history.url]).toEqual(['/files/a/', '/files/a/'])
  expect(guard).toHaveBeenCalledTimes(1)
  history.go(-1)
  await rest()
  expect(guard).toHaveBeenCalledTimes(2)
  release()
})

test('closing goes back to the address before, asking once, and a second press at that moment does nothing', async () => {
  const guard = mock(async () => true)
  const release = guardLeaving(guard)
  const before = history.at
  await Promise.all([returnTo('/files/a/'), returnTo('/files/a/')])
  await rest()
  expect([currentLocation().pathname, history.at, guard.mock.calls.length]).toEqual(['/files/a/', before - 1, 1])
  release()
})

test('closing stays where it is after "no"', async () => {
  const release = guardLeaving(() => false)
  await returnTo('/files/a/')
  await rest()
  expect([currentLocation().pathname, history.url]).toEqual(['/files/a/b.txt', '/files/a/b.txt'])
  release()
})

test('what is gone is left without asking, and replaced where another address, or another page, comes before it', async () => {
  const guard = mock(async () => false)
  const release = guardLeaving(guard)
  await goBackTo('/files/a/')
  expect(currentLocation().pathname).toBe('/files/a/')
  for (const before of ['/files/', '/files/#']) {
    goTo(before)
    goTo('/files/b/c.txt')
    const at = history.at
    await goBackTo(before === '/files/' ? '/files/b/' : '/files/')
    expect([history.at, history.url]).toEqual([at, before === '/files/' ? '/files/b/' : '/files/'])
  }
  expect(guard).not.toHaveBeenCalled()
  release()
})

test('a link that is followed while a guard is being asked is refused', async () => {
  const answer = Promise.withResolvers<boolean>()
  const release = guardLeaving(() => answer.promise)
  const first = navigate('/files/one/')
  expect(await navigate('/files/two/')).toBe(false)
  answer.resolve(true)
  expect([await first, currentLocation().pathname]).toEqual([true, '/files/one/'])
  release()
})

test('an entry that the browser made for another # is the same page, and asks no guard', async () => {
  const guard = mock(async () => false)
  const release = guardLeaving(guard)
  history.pushState(null, '', '/files/a/b.txt')
  page.dispatchEvent(new Event('popstate'))
  await rest()
  expect([history.url, guard.mock.calls.length]).toEqual(['/files/a/b.txt', 0])
  release()
})

test('while there is a guard, the browser asks before the tab is closed', () => {
  const close = () => {
    const event = new Event('beforeunload', { cancelable: true })
    page.dispatchEvent(event)
    return event.defaultPrevented
  }
  const release = guardLeaving(() => true)
  expect(close()).toBe(true)
  release()
  expect(close()).toBe(false)
})
