import { allRights, type Resource, type ResourceType, type RightSet, rightsIn, type Sorting } from '@filestead/contract'
import { sortingOf } from '../access/actor.ts'
import type { FolderGrants } from '../access/granted.ts'
import type { Outlined } from '../access/outline.ts'
import type { FoundInScope, Scope } from '../access/scope.ts'
import { ahead } from '../concurrency/ahead.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { kindByContent } from '../entries/kinds.ts'
import { isSameResource, toResource, typeByName } from '../entries/resource.ts'
import { isByName, orderByName, orderOf } from '../entries/sorting.ts'
import { isSubtitle, isSubtitleFolder } from '../entries/subtitle-names.ts'
import type { Rows } from '../storage/folder-rows.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { subtitleFinder } from '../subtitles/find.ts'
import { rowsIn } from './large-rows.ts'
import { type LargeListing, type ListingText, listingText } from './listing-text.ts'
import { shortText } from './read.ts'
import { rightsField } from './rights-field.ts'

/** Entries that are shown one after the other. */
export interface Piece {
  readonly entries: readonly Entry[]
  /** One for each entry. */
  readonly types: readonly ResourceType[]
  readonly subtitles: (video: string) => string[]
}

export interface BrowsedFolder {
  readonly folder: Entry
  readonly path: string
  readonly sorting: Sorting
  /** What grants allow in the folder, and for its entries if something else is allowed for some. */
  readonly can: RightSet
  readonly grants?: FolderGrants | undefined
  /** All of a small folder, or those of a large one as they are looked at; as text where the storage makes that. */
  readonly content: SmallFolder | AsyncGenerator<Piece | Rows>
}

interface SmallFolder extends Piece {
  /** The entries' indices in the order they are shown. */
  readonly order: readonly number[]
  /** Of earlier listings of the same entries; undefined where those tell nothing of later ones. */
  readonly texts: Map<string, Items> | undefined
}

export interface BrowseOptions {
  /** Read the beginning of files whose name does not tell their type. */
  detectByContent: boolean
  /** The path as it was asked for, which the answer repeats. */
  asked: string
  signal: Cancellation
  /** Does the answer say what grants allow? A visitor of a link may do the same everywhere. */
  tellsRights?: boolean
  /** Called before the names of a large folder are held, which take much memory. */
  enterLarge: () => Promise<void>
}

export const isBrowsed = (browsed: BrowsedFolder | FoundInScope): browsed is BrowsedFolder => 'content' in browsed

const noSubtitles: string[] = []
const none = () => noSubtitles

/** So many entries are made into text at a time; a folder of more is large. */
const pieceLength = 1000
/** Of a large folder the first piece is small, so that it is there soon. */
const firstLength = 200
/** So many pieces of a large folder are looked at while one is made into text. */
const mostAhead = 3

/** Lists a folder as its actor sees it, in the actor's order. Anything else is handed back as it was found. */
export async function browse(
  scope: Scope,
  path: VirtualPath,
  options: BrowseOptions,
): Promise<BrowsedFolder | FoundInScope> {
  const { asked, signal, tellsRights = false } = options
  const found = await findSmall(scope, path, signal)
  const { entry: folder, entries } = found
  if (entries === undefined && folder.kind !== 'folder') return found
  const sorting = sortingOf(scope.actor)
  const facts = {
    ...{ folder, path: asked, sorting, can: tellsRights ? found.can : allRights },
    grants: tellsRights && found.grants?.varies ? found.grants : undefined,
  }
  if (entries !== undefined) return { ...facts, content: await smallFolder(scope, path, entries, sorting, options) }
  await options.enterLarge()
  const form = { prefix: prefixOf(asked), detectsByContent: options.detectByContent }
  const rows = facts.grants === undefined ? await rowsIn(scope, path, { sorting, form, signal }) : undefined
  return { ...facts, content: rows ?? (await largeFolder(scope, path, sorting, options)) }
}

/** The entries of a small folder; a large one has none here. */
export const findSmall = (scope: Scope, path: VirtualPath, signal: Cancellation): Promise<FoundInScope> =>
  scope.find(path, { lists: true, largestOpened: shortText, mostListed: pieceLength, signal })

async function smallFolder(
  scope: Scope,
  path: VirtualPath,
  entries: readonly Entry[],
  sorting: Sorting,
  { detectByContent, signal }: BrowseOptions,
): Promise<SmallFolder> {
  const known = factsOf(entries)
  const isSettled = known === undefined && isSame(entries, { detectByContent })
  const { types, isCertain, isByContent } = known ?? (await typesOf(scope, path, entries, { detectByContent, signal }))
  const order = known?.orders.get(keyOf(sorting)) ?? (await orderOf(entries, sorting, signal))
  const hasVideos = types.includes('video')
  if (isSettled && isCertain && !(hasVideos && entries.some(isOfSubtitles)))
    listingCache.set(entries, {
      types,
      isCertain,
      isByContent,
      orders: new Map(),
      texts: new Map(),
      since: performance.now(),
    })
  const facts = factsOf(entries)
  facts?.orders.set(keyOf(sorting), order)
  const subtitles = hasVideos ? await subtitleFinder(scope, path, entries, signal) : none
  return { entries, types, order, subtitles, texts: facts?.texts }
}

/** Where names tell the order, nothing else is held, and the first entries are sent before the last are looked at. */
async function largeFolder(
  scope: Scope,
  path: VirtualPath,
  sorting: Sorting,
  options: BrowseOptions,
): Promise<AsyncGenerator<Piece>> {
  const { signal } = options
  if (isByName(sorting)) {
    const outlined = await scope.outline(path, signal)
    return piecesOf(scope, path, outlined, await orderByName(outlined, sorting, signal), options)
  }
  const { entries } = await scope.list(path, signal)
  return piecesOf(scope, path, entries, await orderOf(entries, sorting, signal), options)
}

async function* piecesOf(
  scope: Scope,
  path: VirtualPath,
  outlined: readonly Outlined[],
  order: readonly number[],
  options: BrowseOptions,
): AsyncGenerator<Piece> {
  let finding: Promise<Piece['subtitles']> | undefined
  const pieceOf = async (items: readonly Outlined[]): Promise<Piece> => {
    const entries = await scope.describe(path, items, options.signal)
    const { types } = await typesOf(scope, path, entries, options)
    if (types.includes('video')) finding ??= subtitleFinder(scope, path, outlined, options.signal)
    return { entries, types, subtitles: (await finding) ?? none }
  }
  // The order is made of indices of the outline.
  const itemsAt = (indices: readonly number[]) => indices.map((index) => outlined[index] as Outlined)
  yield* ahead(mostAhead, partsOf(order), (indices) => pieceOf(itemsAt(indices)))
}

function* partsOf(order: readonly number[]): Generator<readonly number[]> {
  yield order.slice(0, firstLength)
  for (let start = firstLength; start < order.length; start += pieceLength)
    yield order.slice(start, start + pieceLength)
}

/** What was computed from the entries of a small folder. The storage returns the same array while nothing changed. */
interface ListingFacts extends FoundTypes {
  readonly since: number
  orders: Map<string, readonly number[]>
  /** By path and order. */
  texts: Map<string, Items>
}

/** What a listing tells besides its items. Sorting is part of their key, and their number does not change. */
type Told = Pick<BrowsedFolder, 'folder' | 'path' | 'can'>

/** The wire form of entries, and the last listing that was made with it. */
interface Items {
  readonly text: string
  last?: { readonly told: Told; readonly listing: ListingText }
}

const listingCache = new WeakMap<readonly Entry[], ListingFacts>()
/** Bound the cache: a folder has one or two spellings and orders in practice, and requests can invent more. */
const mostTexts = 8
/** In entries, all texts of a folder together. */
const mostInTexts = 2000

/**
 * In milliseconds: so long types that files tell are kept. A program that writes into a file through its memory changes what is in
 * it and not when it was changed.
 */
const longestByContent = 60_000

function factsOf(entries: readonly Entry[]): ListingFacts | undefined {
  const facts = listingCache.get(entries)
  return facts?.isByContent && performance.now() - facts.since > longestByContent ? undefined : facts
}

const keyOf = ({ by, asc }: Sorting): string => `${by} ${asc}`

/**
 * In milliseconds: further apart than two changes that leave a file with the same times. The storage compares the time of the
 * last change (ctime), which no program can set back.
 */
const settledAfter = 3000

/** Where films have such neighbours, more than the entries tells what belongs to them. */
const isOfSubtitles = ({ kind, name }: Entry): boolean => (kind === 'folder' ? isSubtitleFolder : isSubtitle)(name)

/** When entries whose names do not tell all types were listed first. */
const firstListed = new WeakMap<readonly Entry[], number>()

/**
 * Will the same entries have the same types? What is read from files now is the same later if these entries were the same for
 * a while. A symlink may lead elsewhere by then.
 */
function isSame(entries: readonly Entry[], { detectByContent }: Pick<BrowseOptions, 'detectByContent'>): boolean {
  if (entries.some(({ isLink }) => isLink)) return false
  if (!detectByContent || entries.every((entry) => typeByName(entry) !== undefined)) return true
  const since = firstListed.get(entries)
  if (since === undefined) firstListed.set(entries, performance.now())
  return since !== undefined && performance.now() - since >= settledAfter
}

/**
 * The wire form of a folder: of a large one piece by piece, which is never held as a whole. `fields` come behind those that
 * every folder has.
 */
export function toJson(browsed: BrowsedFolder, fields?: object): ListingText | LargeListing {
  const { content, sorting } = browsed
  return 'order' in content
    ? smallJson(browsed, content, fields)
    : { pieces: largeJson(browsed, content, fields), sorting }
}

function smallJson(browsed: BrowsedFolder, small: SmallFolder, fields: object | undefined): ListingText {
  const items = itemsOf(browsed, small)
  const { last } = items
  if (fields === undefined && last !== undefined && isToldAlike(last.told, browsed)) return last.listing
  const { entries } = small
  const counts = { dirs: entries.filter(isFolder).length, all: entries.length }
  const listing = listingText(`{"items":${items.text},${factsJson(browsed, counts, fields)}`)
  const { folder, path, can } = browsed
  if (fields === undefined) items.last = { told: { folder, path, can }, listing }
  return listing
}

function itemsOf(browsed: BrowsedFolder, { entries, types, order, subtitles, texts }: SmallFolder): Items {
  const key = `${keyOf(browsed.sorting)} ${prefixOf(browsed.path)}${variations(browsed, entries)}`
  const known = texts?.get(key)
  if (known !== undefined) return known
  const toItem = itemsIn(browsed)
  // The order is made of the entries' own indices.
  const items = order.map((at) => toItem(entries[at] as Entry, types[at] as ResourceType, subtitles))
  const made = { text: JSON.stringify(items) }
  const isRoom = texts !== undefined && texts.size < mostTexts && (texts.size + 1) * entries.length <= mostInTexts
  if (isRoom) texts.set(key, made)
  return made
}

const isToldAlike = (one: Told, two: Told): boolean =>
  one.path === two.path && one.can === two.can && isSameResource(one.folder, two.folder)

/** Which entries have other rights than their folder, as a part of a key. */
function variations({ can, grants }: BrowsedFolder, entries: readonly Entry[]): string {
  if (grants === undefined) return ''
  let text = '\0'
  for (const [at, { name }] of entries.entries()) {
    const own = grants.rightsOf(name)
    if (own !== can) text += `${at}:${own} `
  }
  return text
}

/** Counted are the entries that are told: some may be gone since the names were read. */
async function* largeJson(
  browsed: BrowsedFolder,
  pieces: AsyncGenerator<Piece | Rows>,
  fields: object | undefined,
): AsyncGenerator<string | Uint8Array> {
  const toItem = itemsIn(browsed)
  const counts = { dirs: 0, all: 0 }
  for await (const piece of pieces) {
    const { bytes, count, folders } = 'bytes' in piece ? piece : rowsOfPiece(piece, toItem)
    if (count > 0) yield counts.all === 0 ? Buffer.concat([start, bytes.subarray(1)]) : bytes
    counts.all += count
    counts.dirs += folders
  }
  yield `${counts.all === 0 ? start : ''}],${factsJson(browsed, counts, fields)}`
}

const start = Buffer.from('{"items":[')

function rowsOfPiece(
  { entries, types, subtitles }: Piece,
  toItem: ReturnType<typeof itemsIn>,
): Pick<Rows, 'bytes' | 'count' | 'folders'> {
  const items = entries.map((entry, at) => toItem(entry, types[at] as ResourceType, subtitles))
  const text = JSON.stringify(items).slice(1, -1)
  return {
    bytes: Buffer.from(`,${text}`),
    count: entries.length,
    folders: entries.filter(isFolder).length,
  }
}

const isFolder = ({ kind }: Entry): boolean => kind === 'folder'

const prefixOf = (path: string): string => (path.endsWith('/') ? path : `${path}/`)

/** An item tells what grants allow where that is something else than in its folder. */
function itemsIn({
  path,
  can,
  grants,
}: BrowsedFolder): (entry: Entry, type: ResourceType, subtitles: Piece['subtitles']) => Resource {
  const prefix = prefixOf(path)
  return (entry, type, subtitles) => {
    const item = toResource(entry, prefix + entry.name, type)
    const found = type === 'video' ? subtitles(entry.name) : noSubtitles
    if (found.length > 0) item.subtitles = found
    const own = grants?.rightsOf(entry.name) ?? can
    if (own !== can) item.can = rightsIn(own)
    return item
  }
}

/** All but the items, as the rest of an object. */
const factsJson = (
  { folder, path, sorting, can }: BrowsedFolder,
  { dirs, all }: { dirs: number; all: number },
  fields: object | undefined,
): string =>
  JSON.stringify({
    ...{ numDirs: dirs, numFiles: all - dirs, sorting },
    ...toResource(folder, path, ''),
    ...rightsField(can),
    ...fields,
  }).slice(1)

interface FoundTypes {
  /** One for each entry. */
  readonly types: readonly ResourceType[]
  /** False where a file could not be read, which may be possible the next time. */
  readonly isCertain: boolean
  /** Was any of them told by the content? */
  readonly isByContent: boolean
}

/** Opens only files whose name does not tell their type, and only with `detectByContent`. */
export async function typesOf(
  scope: Scope,
  folder: VirtualPath,
  entries: readonly Entry[],
  { detectByContent, signal }: Pick<BrowseOptions, 'detectByContent' | 'signal'>,
): Promise<FoundTypes> {
  const pause = timeSlices(signal)
  const byName: (ResourceType | undefined)[] = []
  for (const entry of entries) {
    byName.push(typeByName(entry))
    const rest = byName.length % 1024 === 0 ? pause() : undefined
    if (rest !== undefined) await rest
  }
  const unknown = entries.filter((_, index) => byName[index] === undefined)
  if (unknown.length === 0) return { types: byName as ResourceType[], isCertain: true, isByContent: false }
  const heads = detectByContent ? await scope.peek(folder, unknown, signal) : undefined
  const headOf = ({ name, exact = name }: Entry) => heads?.get(exact) ?? nothing
  return {
    types: entries.map((entry, index) => byName[index] ?? kindByContent(headOf(entry), entry.size)),
    isCertain: heads === undefined || unknown.every((entry) => entry.size === 0 || headOf(entry).length > 0),
    isByContent: detectByContent,
  }
}

const nothing = new Uint8Array()
