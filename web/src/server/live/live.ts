import type { Job, ServerEvent } from '@filestead/contract'
import { perSession } from '../../state/session-scope.ts'
import { currentSession } from '../session.ts'
import { startSettings } from '../start-settings.ts'
import { applyEvent, noteGap } from './apply.ts'
import { openFeed } from './feed.ts'
import { followed } from './followed.ts'
import { jobs, noteJobOfTab, noteJobs, onAnsweredJob } from './jobs.ts'
import { foldersToFollow, watchOpenFolders } from './open-folders.ts'
import { pollJobs } from './poll-jobs.ts'
import { joinTabs } from './tabs.ts'

/** What tabs tell each other: most of it comes from the one with the connection. */
type News = { event: ServerEvent } | { jobs: readonly Job[] } | { job: Job } | { isBeginning: true }

/**
 * Shows what other accounts, tabs and programs change on the server, for as long as the session lasts. All tabs of a session share one
 * connection: a browser has six of them for a server.
 */
export const followServer = perSession(({ signal }): void => {
  if (signal.aborted) return
  let visit = new AbortController()
  function begin() {
    visit = new AbortController()
    visitTabs(AbortSignal.any([visit.signal, signal]))
  }
  function end() {
    visit.abort()
    followed.set(new Set())
  }
  function beginAgain() {
    if (!visit.signal.aborted) return
    begin()
    // What was told meanwhile was told to other tabs.
    take({ isBeginning: true })
    applyEvent({ name: 'reset', data: {} })
  }
  begin()
  // A page that is left may be kept by the browser, and a frozen one runs nothing: neither may keep the connection.
  addEventListener('pagehide', end, { signal })
  document.addEventListener('freeze', end, { signal })
  addEventListener('pageshow', beginAgain, { signal })
  document.addEventListener('resume', beginAgain, { signal })
})

function take(news: News): void {
  if ('jobs' in news) noteJobs(news.jobs)
  else if ('job' in news) noteJobOfTab(news.job)
  else if ('event' in news) applyEvent(news.event)
  else noteGap()
}

function visitTabs(signal: AbortSignal): void {
  let feed: ReturnType<typeof openFeed> | null = null
  const tabs = joinTabs<News>({
    name: channelName(),
    isVisible: () => document.visibilityState === 'visible',
    onNews: take,
    onStatus: ({ folders }) => followed.set(new Set(folders)),
    onOpen: (open) => feed?.follow(foldersToFollow(open)),
    onNewTab: tellJobs,
    onLeading(leading, isHandover) {
      const polling = pollJobs(leading, tellJobs)
      feed = openFeed({
        signal: leading,
        last: tabs.last,
        isHandover,
        onId: tabs.setLast,
        onConnected(isContinued) {
          polling.setConnected(true)
          if (isContinued) return
          share({ isBeginning: true })
          polling.readNow()
        },
        onLost() {
          tabs.setFolders(null)
          polling.setConnected(false)
        },
        onEvent(event) {
          if (event.name === 'hello') tabs.setFolders(Object.keys(event.data.folders))
          if (event.name === 'reset') polling.readNow()
          share({ event })
        },
      })
    },
  })
  function share(news: News) {
    take(news)
    tabs.tell(news)
  }
  function tellJobs() {
    const list = jobs.get()
    if (list !== null) tabs.tell({ jobs: list })
  }
  watchOpenFolders(signal, tabs.setOpen)
  document.addEventListener('visibilitychange', tabs.noteVisibility, { signal })
  const stopTelling = onAnsweredJob((job) => tabs.tell({ job }))
  signal.addEventListener('abort', () => {
    stopTelling()
    tabs.leave()
  })
}

/** Tabs of one session of one account. Nothing secret: every page of the origin can listen, and each has a token of its own. */
function channelName(): string {
  const { user, id } = currentSession() ?? {}
  // Where another system signs in, each page that is loaded begins a session of the same account.
  const session = startSettings.LoginPage ? (id ?? '') : ''
  return `filestead-live ${startSettings.BaseURL} ${user?.id ?? 0} ${session}`
}
