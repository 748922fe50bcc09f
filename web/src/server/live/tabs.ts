import { noFolders, type OpenFolders } from './open-folders.ts'

/** What the tab with the connection tells the others about it. */
export interface Status {
  /** The folders that the server tells about; null while there is no connection. */
  readonly folders: readonly string[] | null
  /** The id of the event that was told last. */
  readonly last: string | null
}

type Message<News> =
  /** A tab is there and shows these folders. A new one is answered by all others. */
  | { kind: 'here'; tab: string; open: OpenFolders; isNew: boolean }
  | { kind: 'leading'; tab: string; since: number; isVisible: boolean; status: Status }
  | { kind: 'news'; tab: string; news: News }
  | { kind: 'leaving'; tab: string }

export interface TabsOptions<News> {
  /** Tabs of the same name belong together. */
  name: string
  /**
   * From now on this tab has the connection. What it opens ends with the signal. `isHandover` tells whether the tab before
   * still has one.
   */
  onLeading(signal: AbortSignal, isHandover: () => boolean): void
  /** The folders that all tabs show have changed. */
  onOpen(tabs: Iterable<OpenFolders>): void
  /** What the leading tab has heard of the server. */
  onNews(news: News): void
  /** Of the connection, whichever tab has it. */
  onStatus(status: Status): void
  /** Another tab has come. */
  onNewTab(): void
  isVisible(): boolean
  times?: Partial<typeof usualTimes>
}

/** In milliseconds. */
const usualTimes = {
  /** So long a new tab waits for another one that leads. */
  joining: 300,
  /** So long a tab that begins to lead waits for one that began at the same moment. */
  settling: 100,
  /** How often a tab asks whether the leading one is still there. One in the background is in no hurry. */
  asking: 10_000,
  askingHidden: 30_000,
  /** So long the leading tab may take to say so. A frozen one says nothing. */
  answering: 3000,
  /** So long a tab is looked at before it takes the connection over from one in the background. */
  looking: 5000,
  /** So long the connection of the tab before is kept while the new one is not there. */
  overlap: 5000,
  /** Tabs that have said nothing for so long are gone. Browsers let those in the background speak once a minute. */
  forgotten: 180_000,
}

/** Tabs that would begin at the same moment begin within so many milliseconds. */
const jitter = 50

const unconnected: Status = { folders: null, last: null }

/**
 * The tabs of one session in one browser agree on one of them that has the connection to the server. It is the one that was
 * looked at last: browsers slow down and freeze the others. Works without a secure context, which locks and shared workers
 * would need or lack.
 */
export function joinTabs<News>(options: TabsOptions<News>) {
  const wait = { ...usualTimes, ...options.times }
  const own = Math.random().toString(36).slice(2)
  const channel = new BroadcastChannel(options.name)
  const others = new Map<string, { open: OpenFolders; at: number }>()
  let open: OpenFolders = noFolders
  let leader: { tab: string; since: number; isVisible: boolean } | null = null
  let status: Status = unconnected
  /** Of the connection that this tab has. */
  let lead: AbortController | null = null
  let isLeft = false
  const timers = new Map<string, ReturnType<typeof setTimeout>>()

  const isLeading = () => leader?.tab === own
  /** A tab that has left says nothing more. */
  function post(message: Message<News>): void {
    if (!isLeft) channel.postMessage(message)
  }

  /** One timer of each name. */
  function after(name: string, time: number, run: () => void): void {
    stopWaiting(name)
    const timer = setTimeout(() => {
      timers.delete(name)
      run()
    }, time)
    timers.set(name, timer)
  }
  function stopWaiting(name: string): void {
    clearTimeout(timers.get(name))
    timers.delete(name)
  }

  const sayHere = (isNew = false) => post({ kind: 'here', tab: own, open, isNew })

  function sayLeading(): void {
    if (leader === null || !isLeading()) return
    leader.isVisible = options.isVisible()
    post({ kind: 'leading', ...leader, status })
  }

  function tellOpen(): void {
    if (isLeading()) options.onOpen([open, ...[...others.values()].map(({ open }) => open)])
  }

  /** Begins to lead. Where another tab begins at the same moment, one of the two has given way when the time is over. */
  function claim(): void {
    if (isLeft || isLeading()) return
    for (const name of ['answer', 'claim', 'look']) stopWaiting(name)
    const handoverUntil = leader !== null && status.folders !== null ? Date.now() + wait.overlap : 0
    leader = { tab: own, since: Date.now(), isVisible: options.isVisible() }
    setStatus({ ...status, folders: null })
    sayLeading()
    after('settle', wait.settling, () => {
      if (!isLeading()) return
      lead?.abort()
      lead = new AbortController()
      options.onLeading(lead.signal, () => Date.now() < handoverUntil)
      tellOpen()
    })
  }

  /** No tab leads any more. One that is looked at goes first. */
  function loseLeader(): void {
    leader = null
    setStatus({ ...status, folders: null })
    after('claim', (options.isVisible() ? 0 : jitter + wait.settling * 2) + jitter * Math.random(), claim)
  }

  function onLeadingTab(message: Message<News> & { kind: 'leading' }): void {
    const { tab, since, isVisible } = message
    if (isLeading() && leader !== null && isBefore({ tab, since }, leader)) {
      sayLeading()
      return
    }
    const isOther = leader?.tab !== tab
    const wasLeading = isLeading()
    leader = { tab, since, isVisible }
    for (const name of ['answer', 'claim', 'settle']) stopWaiting(name)
    if (wasLeading) after('overlap', wait.overlap, giveUp)
    if (message.status.folders !== null) giveUp()
    // While the new connection is not there, the one before may still be.
    if (lead === null || message.status.folders !== null) setStatus(message.status)
    if (isOther) sayHere()
    considerTaking()
  }

  /** Ends the connection that this tab had. */
  function giveUp(): void {
    stopWaiting('overlap')
    if (isLeading()) return
    lead?.abort()
    lead = null
  }

  function setStatus(next: Status): void {
    status = next
    options.onStatus(next)
  }

  function considerTaking(): void {
    const isWanted = () => leader !== null && !isLeading() && !leader.isVisible && options.isVisible()
    if (!isWanted()) stopWaiting('look')
    else if (!timers.has('look')) after('look', wait.looking, () => isWanted() && claim())
  }

  /** Asks for the leading tab, which is taken for gone where it does not answer. */
  function ask(): void {
    if (isLeading()) forgetSilent()
    else {
      sayHere()
      if (leader !== null) after('answer', wait.answering, loseLeader)
    }
    after('ask', options.isVisible() ? wait.asking : wait.askingHidden, ask)
  }

  function forgetSilent(): void {
    const size = others.size
    for (const [tab, { at }] of others) if (Date.now() - at > wait.forgotten) others.delete(tab)
    if (others.size < size) tellOpen()
  }

  channel.onmessage = ({ data }: MessageEvent<Message<News>>) => {
    if (data.tab === own) return
    if (data.kind === 'news') options.onNews(data.news)
    if (data.kind === 'leading') onLeadingTab(data)
    if (data.kind === 'here') {
      others.set(data.tab, { open: data.open, at: Date.now() })
      sayLeading()
      if (data.isNew) sayHere()
      if (data.isNew && isLeading()) options.onNewTab()
      tellOpen()
    }
    if (data.kind === 'leaving') {
      others.delete(data.tab)
      if (leader?.tab === data.tab) loseLeader()
      tellOpen()
    }
  }

  sayHere(true)
  after('answer', wait.joining, loseLeader)
  after('ask', wait.asking, ask)

  return {
    /** The folders that this tab shows. */
    setOpen(next: OpenFolders): void {
      open = next
      sayHere()
      tellOpen()
    },

    /** This tab is looked at, or no longer. */
    noteVisibility(): void {
      sayLeading()
      considerTaking()
      if (options.isVisible()) ask()
    },

    /** Of the connection, by the tab that has it. */
    setFolders(folders: Status['folders']): void {
      // The connection that is kept for a moment after another tab has taken over.
      if (!isLeading()) return
      setStatus({ ...status, folders })
      sayLeading()
    },

    /** The others hear of it when they ask whether this tab is there: it is needed when it is there no longer. */
    setLast(last: string): void {
      status = { ...status, last }
    },

    last: (): string | null => status.last,

    /** To all other tabs. */
    tell: (news: News): void => post({ kind: 'news', tab: own, news }),

    leave(): void {
      for (const timer of timers.values()) clearTimeout(timer)
      lead?.abort()
      post({ kind: 'leaving', tab: own })
      isLeft = true
      channel.close()
    },
  }
}

/** The one that began later leads. */
const isBefore = (one: { tab: string; since: number }, other: { tab: string; since: number }): boolean =>
  one.since < other.since || (one.since === other.since && one.tab < other.tab)
