import { segmentsOf } from '@filestead/contract/paths'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { prefetch } from '../../concurrency/prefetch.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { replacementMark } from '../exact-names.ts'
import { matcherOf } from '../name-filter.ts'
import { childOf, exactOf, inFolder, rootPath, type VirtualPath } from '../path.ts'
import {
  type Entry,
  type FindOptions,
  type Found,
  type Hold,
  headLength,
  type Listing,
  type Named,
  type NamesOptions,
  type OpenFile,
  type WholeFile,
} from '../port.ts'
import { contentOf } from './content.ts'
import { inTheWay, isHidden, look, lookAt, lookAtFile, lookAtFolder, mostAtOnce, type Remote } from './remote.ts'

const infinite = Number.POSITIVE_INFINITY

/** A folder of more entries is listed rather than asked for name by name. */
const mostAskedFor = 50

/** They are held in memory, and a server may make up names for ever. */
const mostInFolder = 2_000_000

/** So many files are read at once as a whole, at most. */
const mostReadTogether = 64

interface Collecting {
  readonly signal?: Cancellation | undefined
  readonly hold?: Hold | undefined
  /** Ends as undefined where there are more. */
  readonly most?: number
}

/** The folder is looked at while its first page is on its way. */
async function listed(remote: Remote, folder: VirtualPath, collecting: Collecting): Promise<Listing | Entry> {
  const collected = collect(remote, folder, collecting)
  collected.catch(() => {})
  const entry = await lookAtFolder(remote, folder)
  const entries = await collected
  return entries === undefined ? entry : { folder: entry, entries }
}

async function collect(
  { files }: Remote,
  folder: VirtualPath,
  { signal, hold, most = infinite }: Collecting,
): Promise<Entry[] | undefined> {
  const entries: Entry[] = []
  const pause = timeSlices(signal)
  for await (const page of files.list(folder, signal)) {
    if (entries.length === 0) hold?.()
    for (const entry of page) if (!isHidden(exactOf(entry))) entries.push(entry)
    if (entries.length > most) return undefined
    if (entries.length > mostInFolder)
      throw new Failure('too-large', `A folder of more than ${mostInFolder} entries cannot be listed`)
    await pause()
  }
  return entries
}

export async function list(remote: Remote, folder: VirtualPath, signal?: Cancellation, hold?: Hold): Promise<Listing> {
  return (await listed(remote, folder, { signal, hold })) as Listing
}

export async function names(
  remote: Remote,
  folder: VirtualPath,
  signal: Cancellation | undefined,
  { filter, hold }: NamesOptions = {},
): Promise<Named[]> {
  const isWanted = filter === undefined ? () => true : matcherOf(filter)
  const { entries } = await list(remote, folder, signal, hold)
  return entries
    .filter(({ name, kind }) => kind === 'folder' || isWanted(name))
    .map(({ name, exact, kind }) => ({ name, exact, kind }))
}

/** A few are asked for one by one, many are found in a listing. */
export async function describe(
  remote: Remote,
  folder: VirtualPath,
  named: readonly Named[],
  signal?: Cancellation,
): Promise<Entry[]> {
  if (named.length > mostAskedFor) {
    const { entries } = await list(remote, folder, signal)
    const byName = new Map(entries.map((entry) => [exactOf(entry), entry]))
    return named.flatMap((one) => byName.get(exactOf(one)) ?? [])
  }
  await lookAtFolder(remote, folder)
  const found: Entry[] = []
  for await (const { result } of prefetch(named, (one) => remote.files.stat(childOf(folder, one)), mostAtOnce)) {
    signal?.throwIfAborted()
    if (result !== undefined) found.push(result)
  }
  return found
}

export async function visitBelow(
  remote: Remote,
  folder: VirtualPath,
  visit: (path: VirtualPath) => void,
): Promise<void> {
  await lookAtFolder(remote, folder)
  const { files } = remote
  if (files.listBelow !== undefined) {
    const start = folder === '/' ? 0 : folder.length
    for await (const page of files.listBelow(folder))
      for (const { path } of page) if (!segmentsOf(path.slice(start)).some(isHidden)) visit(path)
    return
  }
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for await (const page of files.list(next))
      for (const entry of page) {
        if (isHidden(exactOf(entry))) continue
        const path = childOf(next, entry)
        visit(path)
        if (entry.kind === 'folder') waiting.push(path)
      }
}

export async function peek(
  remote: Remote,
  folder: VirtualPath,
  names: readonly string[],
  signal?: Cancellation,
): Promise<Map<string, Uint8Array>> {
  await lookAtFolder(remote, folder)
  const heads = new Map<string, Uint8Array>()
  const headIn = async (name: string) => {
    try {
      return await headOf(remote, inFolder(folder, name), await remote.files.stat(inFolder(folder, name)))
    } catch {
      return new Uint8Array()
    }
  }
  for await (const { item, result } of prefetch(names, headIn, mostAtOnce)) {
    signal?.throwIfAborted()
    heads.set(item, result)
  }
  return heads
}

async function headOf(remote: Remote, path: VirtualPath, entry: Entry | undefined): Promise<Uint8Array> {
  if (entry?.kind !== 'file') return new Uint8Array()
  return new Uint8Array(await contentOf(remote.files, path, entry).slice(0, headLength).arrayBuffer())
}

export async function readFiles(
  remote: Remote,
  folder: VirtualPath,
  names: readonly string[],
  room: number,
): Promise<(WholeFile | undefined)[]> {
  await lookAtFolder(remote, folder)
  const asked = names.slice(0, mostReadTogether)
  const chosen: { path: VirtualPath; entry: Entry | undefined }[] = []
  let left = room
  const entryOf = (name: string) => remote.files.stat(inFolder(folder, name)).catch(() => undefined)
  for await (const { item, result } of prefetch(asked, entryOf, mostAtOnce)) {
    const file = result?.kind === 'file' ? result : undefined
    const isSmall = file !== undefined && file.size <= left
    if (file !== undefined && !isSmall && left < room) break
    chosen.push({ path: inFolder(folder, item), entry: isSmall ? file : undefined })
    if (isSmall) left -= file.size
  }
  const files: (WholeFile | undefined)[] = []
  const read = async ({ path, entry }: (typeof chosen)[number]) =>
    entry && { entry, bytes: await wholeOf(remote, path, entry) }
  const orNone = (one: (typeof chosen)[number]) => read(one).catch(() => undefined)
  for await (const { result } of prefetch(chosen, orNone, mostAtOnce)) files.push(result)
  return files
}

const wholeOf = async (remote: Remote, path: VirtualPath, entry: Entry): Promise<Uint8Array> =>
  new Uint8Array(await contentOf(remote.files, path, entry).arrayBuffer())

export const open = async (remote: Remote, path: VirtualPath): Promise<OpenFile> =>
  openFile(remote, path, await lookAtFile(remote, path))

/** Nothing is open at the server between two reads. */
function openFile(remote: Remote, path: VirtualPath, entry: Entry): OpenFile {
  const { files, direct } = remote
  let head: Promise<Uint8Array> | undefined
  return {
    entry,
    content: contentOf(files, path, entry),
    ...(entry.size >= (direct ?? infinite) && {
      addressFor: async (options) => files.addressOf?.(path, entry, options),
    }),
    head() {
      head ??= headOf(remote, path, entry)
      return head
    },
    close() {},
  }
}

export async function find(
  remote: Remote,
  path: VirtualPath,
  { lists, largestOpened = infinite, mostListed = infinite, signal }: FindOptions,
): Promise<Found> {
  const entry = await lookAt(remote, path)
  if (entry.kind === 'link') throw inTheWay(remote)
  if (entry.kind === 'folder') {
    const entries = lists ? await collect(remote, path, { signal, most: mostListed }) : undefined
    return entries === undefined ? { entry } : { entry, entries }
  }
  if (entry.kind !== 'file' || entry.size > largestOpened) return { entry }
  return { entry, file: openFile(remote, path, entry) }
}

/** Each name that is shown with marks is looked for in its folder. */
export async function exact(remote: Remote, path: VirtualPath): Promise<VirtualPath> {
  if (!path.includes(replacementMark)) return path
  let at = rootPath
  for (const name of segmentsOf(path)) at = inFolder(at, await exactName(remote, at, name))
  return at
}

async function exactName(remote: Remote, folder: VirtualPath, name: string): Promise<string> {
  if (!name.includes(replacementMark) || (await look(remote, inFolder(folder, name))) !== undefined) return name
  const entries = await collect(remote, folder, {}).catch(() => undefined)
  const [only, ...others] = (entries ?? []).filter((entry) => entry.name === name && entry.exact !== undefined)
  return others.length === 0 && only !== undefined ? exactOf(only) : name
}

/** Shown from a folder that is a root, it has no name. */
export const asRoot = (entry: Entry, path: VirtualPath): Entry =>
  path === '/' && entry.name !== '' ? entry.with({ name: '' }) : entry
