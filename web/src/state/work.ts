import { note } from './personal-storage.ts'
import { perSession } from './session-scope.ts'

/** What is under way for a person and would stop if they left: asked about at sign-out, and before the page is closed. */

/** Says in a line what it is, for people. */
type Describe = () => string

const underWay = perSession((scope) => {
  scope.onEnd(rest)
  return new Set<Describe>()
})
const holders = new Set<() => string | null>()

/** Answers how to say that it is over. */
export function beginWork(describe: Describe): () => void {
  const works = underWay()
  works.add(describe)
  addEventListener('beforeunload', warn)
  telling ??= tellOthers()
  return () => {
    works.delete(describe)
    if (underWay().size === 0) rest()
  }
}

/** For what is not under way, but given up by signing out. `null` while there is nothing. */
export function askedAtSignOut(describe: () => string | null): void {
  holders.add(describe)
}

/** What signing out would leave unfinished, a line each: here, and in the other tabs, which share the session. */
export async function unfinished(): Promise<string[]> {
  const elsewhere = await askOthers()
  const holding = [...holders].flatMap((describe) => describe() ?? [])
  return [...new Set([...linesHere(), ...elsewhere, ...holding])]
}

const linesHere = (): string[] => [...underWay()].map((describe) => describe())

const channelName = 'filestead-work'
/** A page that is at work says so under this and its number. */
const markerPrefix = 'filestead.at-work.'
const ownPage = String(Math.random()).slice(2)
/** How long a page in the background may take to say what it is at. One that says nothing has crashed. */
const answerTimeout = 2000

interface Answer {
  page: string
  lines: string[]
}

/** How this page tells others that it is at work, and at what. */
let telling: { stop(): void } | null = null

function tellOthers(): { stop(): void } {
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = ({ data }) => {
    if (data === 'what is under way?') channel.postMessage({ page: ownPage, lines: linesHere() } satisfies Answer)
  }
  mark()
  addEventListener('pagehide', unmark)
  addEventListener('pageshow', mark)
  return {
    stop() {
      channel.close()
      unmark()
      removeEventListener('pagehide', unmark)
      removeEventListener('pageshow', mark)
    },
  }
}

const mark = (): void => note(localStorage, markerPrefix + ownPage, '1')
const unmark = (): void => localStorage.removeItem(markerPrefix + ownPage)

async function askOthers(): Promise<string[]> {
  const silent = new Set(
    Object.keys(localStorage).flatMap((key) => (key.startsWith(markerPrefix) ? key.slice(markerPrefix.length) : [])),
  )
  silent.delete(ownPage)
  if (silent.size === 0) return []
  const channel = new BroadcastChannel(channelName)
  const lines: string[] = []
  await new Promise<void>((resolve) => {
    setTimeout(resolve, answerTimeout)
    channel.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (!silent.delete(data.page)) return
      for (const line of data.lines) lines.push(line)
      if (silent.size === 0) resolve()
    }
    channel.postMessage('what is under way?')
  })
  channel.close()
  for (const page of silent) localStorage.removeItem(markerPrefix + page)
  return lines
}

/** Work of an earlier session is stopped already. */
function warn(event: BeforeUnloadEvent): void {
  if (underWay().size > 0) event.preventDefault()
}

function rest(): void {
  removeEventListener('beforeunload', warn)
  telling?.stop()
  telling = null
}
