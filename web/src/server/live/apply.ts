import { type FolderChanged, join, type NoticeTopic, nameOf, type ServerEvent } from '@filestead/contract'
import { perSession, sessionSignal } from '../../state/session-scope.ts'
import { waitFor } from '../../state/waiting.ts'
import { applyTold, type Delta, knownListing, pathOf } from '../operations/deltas.ts'
import { whenSent } from '../operations/operation.ts'
import { cache } from '../queries/cache.ts'
import { foldersKey, inNaturalOrder } from '../queries/folders.ts'
import { mostReread, rereadFolder } from '../queries/reread-folder.ts'
import { isFolder, type Listed, resourceKey } from '../queries/resources.ts'
import { dropJob, tellJob } from './jobs.ts'
import { openFolders } from './open-folders.ts'

/** Shows in this tab what the server tells. Nothing of it takes a selection, the focus or a text away. */
export function applyEvent(event: ServerEvent): void {
  if (event.name === 'hello') noteHello(event.data.folders)
  else if (event.name === 'folder') noteChanged(event.data)
  else if (event.name === 'stale') void readAgain(event.data.folder)
  else if (event.name === 'reset') readAllAgain()
  else if (event.name === 'job') tellJob(event.data)
  else if (event.name === 'job-gone') dropJob(event.data.id)
  else if (event.name === 'notice') noteTopic(event.data.topic)
}

/** The folders whose changes have been told without a gap since they were listed. */
const followedNow = perSession(() => ({ folders: new Set<string>() }))

/** What changed before the connection began was not told: what is shown of a folder may be outdated. */
export function noteGap(): void {
  followedNow().folders = new Set()
}

/**
 * A connection begins. What changed in a folder after it was listed, and before it was followed, was not told: one that is
 * not followed now may be gone.
 */
function noteHello(folders: Readonly<Record<string, string>>): void {
  const before = followedNow().folders
  for (const folder of openFolders().listings) {
    if (!before.has(folder) && knownListing(folder)?.modified !== folders[folder]) void readAgain(folder)
  }
  followedNow().folders = new Set(Object.keys(folders))
}

/** What was told and is not shown yet, by folder and path, and when each folder was shown last. */
const waiting = perSession(() => ({
  deltas: new Map<string, Map<string, Delta>>(),
  shownAt: new Map<string, number>(),
}))

/** A listing is copied whenever it changes. One of 100,000 takes longer than one of ten, and changes less often. */
const pauseFor = (folder: string): number => Math.min(500, 50 + (knownListing(folder)?.items.length ?? 0) / 200)

function noteChanged({ folder, put, gone }: FolderChanged): void {
  const { deltas, shownAt } = waiting()
  const own = deltas.get(folder) ?? new Map<string, Delta>()
  for (const name of gone) own.set(join(folder, name), { kind: 'gone', path: join(folder, name) })
  for (const entry of put) own.set(entry.path, { kind: 'put', entry })
  if (deltas.has(folder)) return
  deltas.set(folder, own)
  const signal = sessionSignal()
  const dueIn = (shownAt.get(folder) ?? Number.NEGATIVE_INFINITY) + pauseFor(folder) - performance.now()
  setTimeout(
    () => {
      if (signal.aborted) return
      deltas.delete(folder)
      shownAt.set(folder, performance.now())
      show(folder, [...own.values()])
    },
    Math.max(0, dueIn),
  )
}

/** What was told about a folder while its listing was on its way. */
const late = perSession(() => new Map<string, Map<string, Delta>>())

function show(folder: string, deltas: readonly Delta[]): void {
  patchTree(folder, deltas)
  const query = listingQuery(folder)
  // A listing that is not in view is read again when it is opened. A viewer steps through it meanwhile as it was.
  if (!query?.isActive()) return
  applyTold(deltas)
  if (query.state.fetchStatus !== 'fetching') return
  // The listing that is on its way may have been read before the change.
  const all = late()
  const own = all.get(folder) ?? new Map<string, Delta>()
  for (const delta of deltas) own.set(pathOf(delta), delta)
  if (all.has(folder)) return
  all.set(folder, own)
  const signal = sessionSignal()
  const again = () => {
    all.delete(folder)
    if (!signal.aborted) applyTold([...own.values()])
  }
  query.promise?.then(again, again)
}

const listingQuery = (folder: string) =>
  cache()
    .getQueryCache()
    .find<Listed>({ queryKey: resourceKey(folder), exact: true })

/** A tree shows the names of folders alone. */
function patchTree(folder: string, deltas: readonly Delta[]): void {
  const shown = cache().getQueryData<readonly string[]>(foldersKey(folder))
  if (shown === undefined) return
  const names = new Set(shown)
  for (const delta of deltas) {
    const name = nameOf(pathOf(delta))
    if (delta.kind === 'put' && delta.entry.isDir) names.add(name)
    else names.delete(name)
  }
  const isSame = names.size === shown.length && shown.every((name) => names.has(name))
  if (!isSame) cache().setQueryData(foldersKey(folder), inNaturalOrder(names))
}

/** Folders that are being read again, and whether something was told of them meanwhile; when each was read last. */
const reading = perSession(() => ({
  now: new Map<string, { isOutdated: boolean }>(),
  lastAt: new Map<string, number>(),
}))

/** A folder that changes all the time is read at intervals: every few seconds where that takes long. */
const pauseBetween = (folder: string): number => Math.min(5000, 200 + (knownListing(folder)?.items.length ?? 0) / 20)

/** The server cannot say what changed in the folder, which may be gone. */
async function readAgain(folder: string): Promise<void> {
  const [signal, { now, lastAt }] = [sessionSignal(), reading()]
  const before = now.get(folder)
  if (before !== undefined) {
    before.isOutdated = true
    return
  }
  const own = { isOutdated: true }
  now.set(folder, own)
  try {
    while (own.isOutdated) {
      const dueAt = (lastAt.get(folder) ?? Number.NEGATIVE_INFINITY) + pauseBetween(folder)
      await waitFor(signal, { time: Math.max(0, dueAt - performance.now()) })
      await whenVisible(signal)
      own.isOutdated = false
      void cache().invalidateQueries({ queryKey: foldersKey(folder), exact: true })
      await readListing(folder, signal)
      lastAt.set(folder, performance.now())
    }
  } catch {
    // The session is over.
  } finally {
    now.delete(folder)
  }
}

/** A tab in the background reads nothing: after an outage all tabs of all browsers would ask at once. */
async function whenVisible(signal: AbortSignal): Promise<void> {
  while (document.visibilityState !== 'visible') {
    const event = new Promise((resolve) =>
      document.addEventListener('visibilitychange', resolve, { once: true, signal }),
    )
    await waitFor(signal, { event })
  }
}

/** How often a listing that changes all the time is asked for by its version. */
const mostTries = 3

async function readListing(folder: string, signal: AbortSignal): Promise<void> {
  for (let tries = 0; tries < mostTries && !signal.aborted; tries += 1) {
    const query = listingQuery(folder)
    const listing = query?.state.data
    if (query === undefined || listing === undefined || !isFolder(listing) || !query.isActive()) return
    // One that is on its way may have been read before the change.
    await query.promise?.catch(() => {})
    // Changes are shown before the server has made them, and the folder as it is now would take them back.
    await whenSent()
    if (signal.aborted) return
    if (listing.items.length > mostReread || tries === mostTries - 1) return void (await query.fetch().catch(() => {}))
    if (await rereadFolder(folder, signal).catch(() => true)) return
  }
}

/** Whatever is shown may be outdated. Jobs are read by the tab that has the connection. */
function readAllAgain(): void {
  const { listings, trees } = openFolders()
  for (const folder of new Set([...listings, ...trees])) void readAgain(folder)
  for (const topic of ['shares', 'favourites'] as const) noteTopic(topic)
}

/** The questions whose answers are others by now. */
const questionsAbout: Record<NoticeTopic, readonly string[]> = {
  shares: ['shares'],
  favourites: ['favourites'],
  settings: ['settings'],
  history: ['trash', 'timeline', 'folder-at', 'operations', 'usage'],
  access: ['mounts', 'folders', 'folder-rights', 'grants', 'why'],
}

function noteTopic(topic: NoticeTopic): void {
  const about = questionsAbout[topic]
  void cache().invalidateQueries({
    predicate: ({ queryKey: [kind], state }) =>
      about.includes(String(kind)) ||
      // What may be done in a folder is part of its listing. A file that is open stays as it is: its text may be unsaved.
      (topic === 'access' && kind === 'resource' && (state.data as Listed | undefined)?.isDir === true),
  })
}
