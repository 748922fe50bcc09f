import { followed } from '../../server/live/followed.ts'
import { whenSent } from '../../server/operations/operation.ts'
import { cache } from '../../server/queries/cache.ts'
import { rereadFolder } from '../../server/queries/reread-folder.ts'
import { type Entry, type Folder, resourceKey } from '../../server/queries/resources.ts'
import { keepPlace } from './keep-place.ts'

/** Watches the folder in view until `signal` says that it no longer is. `onFresh` hears which names are new. */
export function watchListing(path: string, signal: AbortSignal, onFresh: (names: ReadonlySet<string>) => void): void {
  if (signal.aborted) return
  readAgain(path, signal)
  noteFresh(path, signal, onFresh)
  keepPlace(path, signal)
}

/**
 * How often the folder in view is read again, in milliseconds, where the server does not tell of its changes by itself. Most
 * answers say that nothing has changed.
 */
const every = 10_000
/** For so long after the last sign of the person. */
const usedFor = 5 * 60_000

/** Shows what others change in the folder: at intervals, and when the page is looked at again. */
function readAgain(path: string, signal: AbortSignal): void {
  let lastUse = Date.now()
  let isReading = false

  async function reread() {
    if (isReading || document.visibilityState === 'hidden') return
    isReading = true
    // Changes are shown before the server has made them, and the folder as it is now would take them back.
    await whenSent()
    // What cannot be read now stays as it is: the person did not ask for it.
    await rereadFolder(path, signal).catch(() => {})
    isReading = false
  }
  function onUse() {
    lastUse = Date.now()
  }
  function onLook() {
    onUse()
    void reread()
  }

  const timer = setInterval(() => {
    if (!followed.get().has(path) && Date.now() - lastUse < usedFor) void reread()
  }, every)
  for (const event of ['keydown', 'pointermove', 'pointerdown', 'wheel'])
    addEventListener(event, onUse, { capture: true, passive: true, signal })
  addEventListener('focus', onLook, { signal })
  document.addEventListener('visibilitychange', onLook, { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
}

/** How long a new row is highlighted, in milliseconds. */
const freshFor = 2000

/** Tells the names that have come into the listing, or changed there, in the last two seconds. */
function noteFresh(path: string, signal: AbortSignal, onFresh: (names: ReadonlySet<string>) => void): void {
  const listed = () => cache().getQueryData<Folder>(resourceKey(path))
  let shown = listed()
  let known = timesOf(shown?.items)
  const fresh = new Map<string, number>()

  function tell() {
    const now = performance.now()
    for (const [name, until] of fresh) if (until <= now) fresh.delete(name)
    if (!signal.aborted) onFresh(new Set(fresh.keys()))
  }

  function compare() {
    const next = listed()
    if (next === shown) return
    shown = next
    const items = next?.items ?? []
    const names = items.flatMap(({ name, modified }) => (known.get(name) === modified ? [] : name))
    known = timesOf(items)
    if (names.length === 0) return
    for (const name of names) fresh.set(name, performance.now() + freshFor)
    tell()
    setTimeout(tell, freshFor + 10)
  }

  signal.addEventListener('abort', cache().getQueryCache().subscribe(compare))
}

const timesOf = (items: readonly Entry[] = []): ReadonlyMap<string, string> =>
  new Map(items.map(({ name, modified }) => [name, modified]))
