import { type NoticeTopic, nameOf, type ServerEvent } from '@filestead/contract'
import { may } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import type { Change, ChangeKind, Result } from '../changes/change.ts'
import { deadline } from '../concurrency/deadline.ts'
import { Failure } from '../failure.ts'
import { type JobNews, shownIn } from '../jobs/record.ts'
import { parentLocation, pathIn } from '../mounts/location.ts'
import type { Siblings } from '../nodes/siblings.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import { type Bus, busWith, type Numbered } from './bus.ts'
import { type Dirty, modifiedAt, mostNames, placeOf } from './deltas.ts'
import { type OpenFolder, openFolders, type WatchFolder } from './folders.ts'
import { Listener, type Listening, staleEvent } from './listener.ts'
import type { ChangeNews, News, UploadNews } from './news.ts'
import { sessionWatch } from './sessions.ts'

/** What the rooms tell. Cheap where nothing listens. */
export interface Events {
  changed(change: Change, result: Result): void
  job(news: JobNews): void
  upload(owner: number, upload: Omit<UploadNews, 'topic' | 'owner'>): void
  notice(about: NoticeTopic, user?: number): void
  /** Does a client listen? Else a caller need not find out what it would tell. */
  readonly isHeard: boolean
  /** Begins a stream. Fails where there are too many. `ended` is called once. */
  listen(listening: Listening, last: string | undefined, ended: (reason: 'over' | 'stalled') => void): Promise<Listener>
  /** Waits until a listener was told all that has happened so far, but not for a disk that does not answer. */
  settled(listener: Listener): Promise<void>
  readonly listeners: number
  readonly watches: number
  /** Ends all streams, which would keep the server from stopping, and begins no other. */
  endAll(): void
  close(): void
}

export interface EventDeps {
  siblings?: Siblings
  watch: WatchFolder
  detectByContent: boolean
  /** Counts up with every change of mounts, groups, members and grants. */
  accessVersion(): Promise<number>
  /** Another object when the settings are others. */
  settings(): Promise<object>
  /** The name of an account. */
  nameOf(userId: number): Promise<string>
  limits?: { mostListeners?: number; mostOfOne?: number }
  bus?: Bus
  lingerFor?: number
}

/** In milliseconds: a stream begins without what a disk that does not answer would tell. */
const longestBeginning = 1000
/** In milliseconds: proxies cut connections that are silent for a minute. */
const beatEvery = 20_000

export function eventsWith(deps: EventDeps): Events {
  const { mostListeners = 500, mostOfOne = 20 } = deps.limits ?? {}
  const bus = deps.bus ?? busWith({ ...(deps.siblings && { siblings: deps.siblings }) })
  const listeners = new Set<Listener>()
  /** What each listener is told one after another, and the first news of that. */
  const queues = new Map<Listener, { end: Promise<void>; numbers: number[] }>()
  let hearing: Promise<void> | undefined
  let beating: NodeJS.Timeout | undefined
  let isStopping = false

  const folders = openFolders({
    watch: deps.watch,
    detectByContent: deps.detectByContent,
    scopeOf,
    idAt: (listener, folder, number) => idFor(listener, number, folder),
    last: () => bus.last,
    mark: () => bus.mark(),
    told: (folder, { names, isStale }) => {
      if (isStale || names.size > mostNames)
        return bus.publishHere({ topic: 'folder', folder, names: [], removed: [], isStale: true })
      const removed = [...names].filter(([, isRemoved]) => isRemoved).map(([name]) => name)
      bus.publishHere({ topic: 'folder', folder, names: [...names.keys()], removed, isStale })
    },
    ...(deps.lingerFor !== undefined && { lingerFor: deps.lingerFor }),
  })

  const sessions = sessionWatch({
    ...deps,
    listeners,
    scopeOf,
    settingsChanged: () => bus.publishHere({ topic: 'notice', about: 'settings', user: undefined }),
    accessChanged: () => bus.publishHere({ topic: 'notice', about: 'access', user: undefined }),
    accountChanged: (listener) => outdated(listener, bus.last, ['access']),
  })

  /** All news up to a number, but for what the listener is still to be told; of `told` it is being told right now. */
  function idFor(listener: Listener, number: number, told?: OpenFolder): string {
    const firstUntold = folders.firstUntold(listener, told)
    const queued = queues.get(listener)?.numbers[0]
    return bus.idOf(Math.min(number, (firstUntold ?? number + 1) - 1, (queued ?? number + 1) - 1))
  }

  async function scopeOf(listener: Listener): Promise<Scope | undefined> {
    try {
      return await listener.listening.again()
    } catch {
      // Also where it cannot be found out now: a client that comes back is told what it has missed.
      listener.end()
      return undefined
    }
  }

  /** One after the other, so that an older state never comes behind a newer one. */
  function queue(listener: Listener, number: number, work: (scope: Scope) => Promise<void> | void): void {
    const queued = queues.get(listener) ?? { end: Promise.resolve(), numbers: [] }
    queues.set(listener, queued)
    queued.numbers.push(number)
    queued.end = queued.end.then(async () => {
      const scope = listener.isOver ? undefined : await scopeOf(listener)
      queued.numbers.shift()
      if (scope !== undefined) await work(scope)
    })
    queued.end = queued.end.catch(() => {})
  }

  /** Other rights or rules: whatever is shown may be another, and folders may be seen that were not. */
  function outdated(listener: Listener, number: number, about: readonly NoticeTopic[]): void {
    queue(listener, number, async (scope) => {
      for (const topic of about) listener.send({ name: 'notice', data: { topic } }, idFor(listener, number))
      const paths = listener.listening.folders
      const attaching = Promise.all(paths.map((path) => attach(listener, scope, path).catch(() => undefined)))
      await deadline(attaching, longestBeginning, undefined)
      for (const path of paths) listener.sendAbout(path, staleEvent(path), idFor(listener, number))
    })
  }

  // Clients come back at once, and are told that what they show may be old.
  bus.onMissed(() => {
    for (const listener of [...listeners]) listener.end()
  })

  /** Takes in news for all listeners, or for one that comes back. */
  function take({ number, news }: Numbered, only?: Listener): void {
    const concerned = only === undefined ? listeners : [only]
    if (news.topic === 'change') for (const [folder, dirty] of touchedBy(news)) folders.touch(folder, dirty, number)
    else if (news.topic === 'folder') {
      const folder = folders.find(news.folder)
      const removed = new Set(news.removed)
      const names = new Map(news.names.map((name) => [name, removed.has(name)]))
      if (folder !== undefined) folders.touch(folder, { names, isStale: news.isStale }, number)
    } else for (const listener of concerned) tell(listener, number, news)
  }

  function tell(listener: Listener, number: number, news: Exclude<News, { topic: 'change' | 'folder' }>): void {
    const { key, all } = listener.listening
    if (news.topic === 'notice') {
      if (news.about === 'settings') outdated(listener, number, ['settings', 'access'])
      else if (news.about === 'access') outdated(listener, number, ['access'])
      else if (news.user === undefined || news.user === key || news.about === 'shares')
        queue(listener, number, ({ actor }) => {
          if (news.user === undefined || news.user === key || may(actor, 'admin'))
            listener.send({ name: 'notice', data: { topic: news.about } }, idFor(listener, number))
        })
    } else if (key < 0) {
      // Guests of one network have one number, and need not know each other.
      return
    } else if (news.topic === 'upload') {
      if (news.owner === key)
        queue(listener, number, ({ tree }) => {
          const { offset, length, state } = news
          const path = tree.pathTo(news.location)
          if (path !== undefined)
            listener.send(
              { name: 'upload', data: { path, offset, length, state } },
              idFor(listener, number),
              `upload ${path}`,
            )
        })
    } else if (news.userId === key || all)
      queue(listener, number, async ({ actor, tree }) => {
        const { userId, job } = news
        const isOwn = userId === actor.user.id
        if (!isOwn && !may(actor, 'admin')) return
        const owner = isOwn || job === undefined ? undefined : { id: userId, name: await deps.nameOf(userId) }
        const event: ServerEvent =
          job === undefined
            ? { name: 'job-gone', data: { id: news.id } }
            : { name: 'job', data: shownIn(tree, job, owner) }
        listener.send(event, idFor(listener, number), `job ${news.id}`)
      })
  }

  /** In each folder above, the name that leads to a change: parents that were made with it, and times of folders. */
  function* touchedBy({ kind, from, to }: ChangeNews) {
    const takesAway = kind === 'move' || kind === 'remove'
    for (const place of [from, to]) {
      if (place === undefined || (place === from && !takesAway)) continue
      for (let at = place; pathIn(at) !== rootPath; at = parentLocation(at)) {
        const folder = folders.find(parentLocation(at))
        const isRemoved = place === from && at === place
        const name = nameOf(pathIn(at))
        const leading = at === place ? undefined : new Map([[name, [place]]])
        if (folder !== undefined)
          yield [folder, { names: new Map([[name, isRemoved]]), isStale: false, leading }] as const
      }
      // What was open there is gone, or was merged with what came.
      if (!madeAlone.has(kind)) for (const folder of folders.within(place)) yield [folder, stale] as const
    }
  }

  function startBeating(): void {
    beating ??= setInterval(() => {
      for (const listener of listeners) listener.beat(idFor(listener, bus.last))
      rest()
    }, beatEvery).unref()
  }

  /** Nothing is heard any more once no folder is open that a client might come back to. */
  function rest(): void {
    const areOpen = folders.sweep()
    if (listeners.size > 0 || areOpen) return
    bus.ignore()
    sessions.forget()
    hearing = undefined
    clearInterval(beating)
    beating = undefined
  }

  /** From now on the listener is told of a folder, if it may see it. */
  async function attach(listener: Listener, scope: Scope, path: VirtualPath): Promise<OpenFolder | undefined> {
    const places = await placeOf(scope, path).catch(() => undefined)
    if (places === undefined || listener.isOver) return undefined
    const [real, ...others] = places
    if (real === undefined) return undefined
    const folder = folders.add(real, true, listener, path)
    for (const other of others) folders.add(other, false, listener, path)
    await folder.watch?.ready
    return folder
  }

  async function openFolder(
    listener: Listener,
    scope: Scope,
    path: VirtualPath,
    last: number | undefined,
  ): Promise<string | undefined> {
    const folder = await attach(listener, scope, path)
    if (folder === undefined) return undefined
    // Nothing was noticed there for a while.
    const isUnwatched = last !== undefined && folder.watchedSince > last
    // Or its disk has answered late, and the client knows nothing of it.
    if (isUnwatched || listener.hasBegun) folders.touch(folder, stale, bus.last)
    return modifiedAt(scope, path)
  }

  async function begin(listener: Listener, lastId: string | undefined): Promise<void> {
    const { folders: paths, again } = listener.listening
    const last = lastId === undefined || bus.since(lastId) === undefined ? undefined : bus.numberIn(lastId)
    const scope = await again()
    sessions.know(listener, scope)
    const opening = paths.map((path) =>
      deadline(
        openFolder(listener, scope, path, last).catch(() => undefined),
        longestBeginning,
        undefined,
      ),
    )
    const times = await Promise.all(opening)
    const known = paths.flatMap((path, index): [string, string][] => {
      const time = times[index]
      return time === undefined ? [] : [[path, time]]
    })
    const hello: ServerEvent = { name: 'hello', data: { folders: Object.fromEntries(known) } }
    // Only now: what came while the folders were opened is missed, too.
    const missed = lastId === undefined ? [] : bus.since(lastId)
    if (missed === undefined) listener.begin([hello, { name: 'reset', data: {} }], idFor(listener, bus.last))
    else listener.begin([hello], last === undefined ? idFor(listener, bus.last) : bus.idOf(last))
    for (const numbered of missed ?? []) take(numbered, listener)
  }

  return {
    get isHeard() {
      return bus.isHeard
    },
    changed({ kind, from: source, to: target }, result) {
      // The other end is in a store, which no client sees.
      const from = kind === 'restore' ? undefined : source
      const to = kind === 'remove' ? undefined : target
      // Of one that failed a part may have been done.
      if (result === 'done' || !madeAlone.has(kind)) bus.publish({ topic: 'change', kind, from, to })
    },
    job: (news) => bus.publish({ topic: 'job', ...news }),
    upload: (owner, upload) => bus.publish({ topic: 'upload', owner, ...upload }),
    notice: (about, user) => bus.publish({ topic: 'notice', about, user }),
    async listen(listening, lastId, ended) {
      let ofOne = 0
      for (const other of listeners) if (other.listening.key === listening.key) ofOne += 1
      if (ofOne >= mostOfOne) throw new Failure('too-many-tries', 'Too many pages of this account listen for changes')
      if (isStopping) throw new Failure('unavailable', 'The server stops', { retryAfter: 1 })
      if (listeners.size >= mostListeners)
        throw new Failure('unavailable', 'Too many pages listen for changes', { retryAfter: 30 })
      const listener = new Listener(listening, (reason) => {
        listeners.delete(listener)
        queues.delete(listener)
        folders.remove(listener)
        sessions.rest()
        ended(reason)
      })
      folders.sweep()
      listeners.add(listener)
      hearing ??= bus.hear(take)
      startBeating()
      sessions.watch()
      try {
        await deadline(hearing, longestBeginning, undefined)
        await begin(listener, lastId)
        return listener
      } catch (error) {
        listener.end()
        throw error
      }
    },
    async settled(listener) {
      const until = performance.now() + longestBeginning
      const isUntold = () =>
        folders.firstUntold(listener) !== undefined || (queues.get(listener)?.numbers.length ?? 0) > 0
      while (isUntold() && performance.now() < until) await Bun.sleep(5)
      await queues.get(listener)?.end
    },
    get listeners() {
      return listeners.size
    },
    get watches() {
      return folders.watched
    },
    endAll() {
      isStopping = true
      for (const listener of [...listeners]) listener.end()
    },
    close() {
      for (const listener of [...listeners]) listener.end()
      sessions.close()
      clearInterval(beating)
      folders.close()
      bus.close()
    },
  }
}

/** Changes of one entry, with nothing below it. */
const madeAlone: ReadonlySet<ChangeKind> = new Set(['save', 'create', 'create-folder', 'upload'])

const stale: Dirty = { names: new Map(), isStale: true }
