import type { Resource, ResourceType, Sorting } from '@filestead/contract'
import { sortingOf } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Entry, Found } from '../storage/port.ts'
import { subtitleFinder } from '../subtitles/find.ts'
import { kindByContent } from './kinds.ts'
import { shortText } from './read.ts'
import { toResource, typeByName } from './resource.ts'
import { orderWithPauses } from './sorting.ts'

export interface BrowsedFolder {
  readonly folder: Entry
  readonly path: string
  readonly entries: readonly Entry[]
  /** One for each entry. */
  readonly types: readonly ResourceType[]
  /** The entries' indices in the order they are shown. */
  readonly order: readonly number[]
  readonly sorting: Sorting
  readonly subtitles: (video: string) => string[]
}

export interface BrowseOptions {
  /** Read the beginning of files whose name does not tell their type. */
  detectByContent: boolean
  /** The path as it was asked for, which the answer repeats. */
  asked: string
  signal: Cancellation
  /** Acquired before the entries of a large folder are held. */
  large?: LargeListingPermit
}

export const isBrowsed = (browsed: BrowsedFolder | Found): browsed is BrowsedFolder => 'order' in browsed

/** A place in the semaphore for the entries of large folders, which take much memory. */
export interface LargeListingPermit {
  /** False where it would have to wait. */
  tryAcquire(): boolean
  acquire(): Promise<void>
}

const noSubtitles: string[] = []
const none = () => noSubtitles

/** Lists a folder as its actor sees it, in the actor's order. Anything else is handed back as it was found. */
export async function browse(
  scope: Scope,
  path: VirtualPath,
  { detectByContent, asked, signal, large }: BrowseOptions,
): Promise<BrowsedFolder | Found> {
  const found = await listWithPermit(scope, path, signal, large)
  const { entry: folder, entries } = found
  if (entries === undefined) return found
  const sorting = sortingOf(scope.actor)
  const cached = listingCache.get(entries)
  const types = cached?.types ?? (await typesOf(scope, path, entries, { detectByContent, signal }))
  const order = cached?.orders.get(keyOf(sorting)) ?? (await orderWithPauses(entries, sorting, signal))
  if (cached === undefined && isPlain(entries))
    listingCache.set(entries, { types, orders: new Map(), texts: new Map() })
  listingCache.get(entries)?.orders.set(keyOf(sorting), order)
  const subtitles = types.includes('video') ? await subtitleFinder(scope, path, entries, signal) : none
  return { folder, path: asked, entries, types, order, sorting, subtitles }
}

/** A large listing that has to wait is given up, and read again once the permit is acquired: waiting costs no memory. */
export async function listWithPermit(
  scope: Scope,
  path: VirtualPath,
  signal: Cancellation,
  large?: LargeListingPermit,
): Promise<Found> {
  if (large === undefined) return scope.find(path, { lists: true, largestOpened: shortText, signal })
  let isHeld = false
  const hold = () => {
    isHeld ||= large.tryAcquire()
    if (!isHeld) throw new MustWait()
  }
  try {
    const found = await scope.find(path, { lists: true, largestOpened: shortText, signal, hold })
    // Where symlinks lead to the folder, its entries are held without asking.
    if (found.entries !== undefined && found.entries.length > pieceLength) hold()
    return found
  } catch (error) {
    if (!(error instanceof MustWait)) throw error
  }
  await large.acquire()
  return scope.find(path, { lists: true, largestOpened: shortText, signal })
}

class MustWait extends Error {}

/** What was computed from the entries of a small folder. The storage returns the same array while nothing changed. */
interface ListingFacts {
  types: readonly ResourceType[]
  orders: Map<string, readonly number[]>
  /** Their wire form, by path and order. */
  texts: Map<string, string>
}

const listingCache = new WeakMap<readonly Entry[], ListingFacts>()
const smallFolder = 100
/** Bounds the cache: a folder has one or two spellings in practice, and requests can invent more. */
const mostTexts = 8

const keyOf = ({ by, asc }: Sorting): string => `${by} ${asc}`

/** Does the listing depend on the entries alone: on no content of files, no subtitles, no symlinks? */
const isPlain = (entries: readonly Entry[]): boolean =>
  entries.length <= smallFolder &&
  entries.every((entry) => {
    const type = typeByName(entry)
    return type !== undefined && type !== 'video' && !entry.isLink
  })

/** How many entries are made into text at a time. */
const pieceLength = 1000

/** The wire form of a folder, piece by piece: a large one is never held as text. */
export function* toJson({ folder, path, entries, types, order, sorting, subtitles }: BrowsedFolder): Generator<string> {
  const prefix = path.endsWith('/') ? path : `${path}/`
  const toItem = (index: number): Resource => {
    // The order is made of the entries' own indices.
    const entry = entries[index] as Entry
    const item = toResource(entry, prefix + entry.name, types[index] as ResourceType)
    const found = item.type === 'video' ? subtitles(entry.name) : noSubtitles
    if (found.length > 0) item.subtitles = found
    return item
  }

  const numDirs = entries.reduce((count, { kind }) => count + (kind === 'folder' ? 1 : 0), 0)
  const facts = JSON.stringify({
    numDirs,
    numFiles: entries.length - numDirs,
    sorting,
    ...toResource(folder, path, ''),
  })
  if (order.length <= pieceLength) {
    const text = () => JSON.stringify(order.map(toItem))
    return yield `{"items":${cachedText(listingCache.get(entries)?.texts, `${keyOf(sorting)} ${prefix}`, text)},${facts.slice(1)}`
  }
  for (let start = 0; start + pieceLength < order.length; start += pieceLength) {
    const piece = JSON.stringify(order.slice(start, start + pieceLength).map(toItem)).slice(1, -1)
    yield start === 0 ? `{"items":[${piece}` : `,${piece}`
  }
  const rest = order.slice((Math.ceil(order.length / pieceLength) - 1) * pieceLength).map(toItem)
  yield `,${JSON.stringify(rest).slice(1, -1)}],${facts.slice(1)}`
}

function cachedText(texts: Map<string, string> | undefined, key: string, make: () => string): string {
  const text = texts?.get(key) ?? make()
  if (texts !== undefined && texts.size < mostTexts) texts.set(key, text)
  return text
}

/** Opens only files whose name does not tell their type, and only with `detectByContent`. */
export async function typesOf(
  scope: Scope,
  folder: VirtualPath,
  entries: readonly Entry[],
  { detectByContent, signal }: Pick<BrowseOptions, 'detectByContent' | 'signal'>,
): Promise<ResourceType[]> {
  const pause = timeSlices(signal)
  const byName: (ResourceType | undefined)[] = []
  for (const entry of entries) {
    byName.push(typeByName(entry))
    const rest = byName.length % 1024 === 0 ? pause() : undefined
    if (rest !== undefined) await rest
  }
  const unknown = entries.filter((_, index) => byName[index] === undefined)
  if (unknown.length === 0) return byName as ResourceType[]
  const heads = detectByContent ? await scope.peek(folder, unknown, signal) : undefined
  return entries.map(({ name, size }, index) => byName[index] ?? kindByContent(heads?.get(name) ?? nothing, size))
}

const nothing = new Uint8Array()
