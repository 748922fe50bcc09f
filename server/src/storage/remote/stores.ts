import { type KeepStore, keepStores } from '@filestead/contract'
import { nameOf } from '@filestead/contract/paths'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { prefetch } from '../../concurrency/prefetch.ts'
import { Failure, isFailure } from '../../failure.ts'
import { timeOf } from '../alike.ts'
import { type Keep, type KeptFound, storeFor } from '../keeping.ts'
import { idInName, idOfPlace, keptName, nameBefore } from '../kept-names.ts'
import { exactOf, inFolder, keptPath, rootPath, type VirtualPath } from '../path.ts'
import type { Entry } from '../port.ts'
import { infoSuffix, parseInfo, type StoreInfo } from '../store-info.ts'
import { remoteStoreNames } from '../store-names.ts'
import { contentOf } from './content.ts'
import { allIn, isHidden, mostAtOnce, type Remote } from './remote.ts'

/** The stores of a mount lie at its root, laid out as on a disk: what is kept, and beside it what tells of each. */
export interface Store {
  readonly kind: KeepStore
  readonly folder: VirtualPath
  readonly files: VirtualPath
  readonly info: VirtualPath
}

const storeOf = (kind: KeepStore): Store => {
  const folder = inFolder(rootPath, remoteStoreNames[kind])
  return { kind, folder, files: inFolder(folder, 'files'), info: inFolder(folder, 'info') }
}

export const placeIn = ({ files }: Store, name: string): VirtualPath => inFolder(files, name)

export const infoPlace = ({ info }: Store, name: string): VirtualPath => inFolder(info, `${name}${infoSuffix}`)

/** Made where it is missing. */
export async function makeStore(remote: Remote, kind: KeepStore): Promise<Store> {
  const store = storeOf(kind)
  if (remote.knownStores.has(kind)) return store
  for (const folder of [store.folder, store.files, store.info]) await remote.files.createFolder(folder)
  remote.knownStores.add(kind)
  return store
}

/** One that is gone is fine. */
export const dropInfo = ({ files }: Remote, store: Store, name: string): Promise<void> =>
  files.removeFile(infoPlace(store, name))

/** The store and the name of what lies directly in it. */
export function requirePlace(place: VirtualPath): { store: Store; name: string } {
  const store = keepStores.map(storeOf).find(({ files }) => place === inFolder(files, nameOf(place)))
  if (store === undefined || nameOf(place) === '') throw new Failure('invalid', 'this is no place of a kept thing')
  return { store, name: nameOf(place) }
}

/** A place in the trash; undefined where that is off. One operation may remove several things. */
export async function keepPlace(remote: Remote, path: VirtualPath, keep: Keep): Promise<VirtualPath | undefined> {
  const kind = storeFor(keep.cause, 'removed', remote.stores())
  if (kind === undefined) return undefined
  const store = await makeStore(remote, kind)
  for (let count = 1; ; count += 1) {
    const place = placeIn(store, keptName(nameOf(path), count === 1 ? keep.operation : `${keep.operation}-${count}`))
    if ((await remote.files.stat(place)) === undefined) return place
  }
}

/** So many things are told at once. */
const largestPart = 500

/** In milliseconds. What another process is about to finish is younger. */
const unfinishedFor = 3_600_000

/** All that lies in the stores, as far as can be read. */
export async function readStores(
  remote: Remote,
  take: (found: readonly KeptFound[]) => void,
  signal?: Cancellation,
): Promise<void> {
  for (const kind of keepStores) await readStore(remote, storeOf(kind), take, signal)
}

async function readStore(
  remote: Remote,
  store: Store,
  take: (found: readonly KeptFound[]) => void,
  signal: Cancellation | undefined,
): Promise<void> {
  const things = await entriesIn(remote, store.files)
  let part: KeptFound[] = []
  const infoOf = (entry: Entry) => readInfo(remote, store, exactOf(entry))
  for await (const { item, result } of prefetch(things.values(), infoOf, mostAtOnce)) {
    signal?.throwIfAborted()
    part.push(foundAs(store, item, result))
    if (part.length < largestPart) continue
    take(part)
    part = []
  }
  if (part.length > 0) take(part)
  await clearInfos(remote, store, things, signal)
}

async function entriesIn(remote: Remote, folder: VirtualPath): Promise<Map<string, Entry>> {
  try {
    const entries = await allIn(remote, folder)
    return new Map(entries.filter((entry) => !isHidden(entry.name)).map((entry) => [exactOf(entry), entry]))
  } catch (error) {
    if (isFailure(error, 'not-found')) return new Map()
    throw error
  }
}

/** In bytes: a path of 4096, each of three characters, and our own lines. */
const largestInfo = 16 * 1024

async function readInfo({ files }: Remote, store: Store, name: string): Promise<StoreInfo | undefined> {
  const path = infoPlace(store, name)
  const entry = await files.stat(path)
  if (entry?.kind !== 'file') return undefined
  return parseInfo(await contentOf(files, path, entry).slice(0, largestInfo).text())
}

function foundAs(store: Store, entry: Entry, info: StoreInfo | undefined): KeptFound {
  const name = exactOf(entry)
  const place = placeIn(store, name)
  const { kind, size } = entry
  const modified = timeOf(entry)
  return {
    // Only an id that is part of the name belongs to one thing alone.
    id: info?.id !== undefined && info.id === idInName(name) ? info.id : idOfPlace(place),
    store: store.kind,
    place,
    at: placeToldBy(info) ?? inFolder(rootPath, nameBefore(name)),
    kind,
    size: kind === 'folder' ? undefined : size,
    modified,
    keptAt: info?.keptAt ?? modified,
    keep: info?.keep,
  }
}

/** Another program may have written whatever it likes. */
function placeToldBy(info: StoreInfo | undefined): VirtualPath | undefined {
  try {
    return info?.path === undefined ? undefined : keptPath(info.path)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Infos of nothing: a removal that did not come to its first file, or something that was taken out since. */
async function clearInfos(
  remote: Remote,
  store: Store,
  things: ReadonlyMap<string, Entry>,
  signal: Cancellation | undefined,
): Promise<void> {
  for (const { name, seconds } of (await entriesIn(remote, store.info)).values()) {
    signal?.throwIfAborted()
    const thing = name.slice(0, -infoSuffix.length)
    const isOld = Date.now() - seconds * 1000 > unfinishedFor
    if (!name.endsWith(infoSuffix) || things.has(thing) || !isOld) continue
    // Looked for again: it may have come since the names were read.
    if ((await remote.files.stat(placeIn(store, thing))) === undefined) await dropInfo(remote, store, thing)
  }
}
