import {
  encodePath,
  type FolderResource,
  type MediaFacts,
  type NamedMediaFacts,
  operationHeader,
  type RecursiveEntry,
  type Resource,
  type Sorting,
  sortingHeader,
  type Usage,
} from '@filestead/contract'
import { type Query, queryOptions } from '@tanstack/react-query'
import { sessionStore } from '../../state/session-scope.ts'
import { painted } from '../../ui/painted.ts'
import { apiUrl, type Call, call, getJson, throwConnectionLost, versionIn } from '../client.ts'
import { readListing } from '../listing-stream.ts'
import { resourcePath } from '../paths.ts'
import { cache } from './cache.ts'
import { folderOrder } from './folder-order.ts'

/** A file or folder as the listing shows it. */
export type Entry = Resource
export type Folder = FolderResource

export const isFolder = (resource: Resource): resource is Folder => resource.isDir

export const resourceKey = (path: string) => ['resource', path] as const

/** What lies at a path: a folder with its items, or a file (with `content` when it is a text). */
export const resourceQuery = (path: string) =>
  queryOptions({
    queryKey: resourceKey(path),
    queryFn: async ({ signal }) => {
      const response = await call('GET', resourcePath(path), { signal })
      let beginning: ListingBeginning | undefined
      try {
        return await listedIn(response, async (items) => {
          beginning = { path, items, sorting: sortingTold(response.headers) }
          listingBeginning.set(beginning)
          await painted()
        })
      } finally {
        // Not that of a later request for the same folder.
        if (listingBeginning.get() === beginning) listingBeginning.set(null)
      }
    },
  })

interface ListingBeginning {
  path: string
  items: readonly Entry[]
  /** Null where the server does not tell. */
  sorting: Sorting | null
}

/** Null, too, where a proxy has changed the header: the folder tells its order again, behind its entries. */
function sortingTold(headers: Headers): Sorting | null {
  try {
    const { by, asc }: Partial<Sorting> = JSON.parse(headers.get(sortingHeader) ?? '{}')
    return typeof by === 'string' && typeof asc === 'boolean' ? { by, asc } : null
  } catch {
    return null
  }
}

/** The first entries of the large folder that is being read. */
export const listingBeginning = sessionStore<ListingBeginning | null>(null)

export type Listed = (Resource | Folder) & { version?: string }

/** What is short comes with a version, and at once. */
export async function listedIn(
  response: Response,
  onBeginning: (items: readonly Entry[]) => Promise<void> | void = () => {},
): Promise<Listed> {
  const version = versionIn(response)
  if (version === null && response.body !== null)
    return completed(await readListing(response.body, onBeginning).catch(throwConnectionLost))
  const resource: Resource | Folder = completed(await response.json().catch(throwConnectionLost))
  return version === null ? resource : { ...resource, version }
}

/** The order that a guest has chosen: the server keeps one for each account alone. */
export const ownOrder = sessionStore<Sorting | null>(null)

/** The order that the server has told, or taken, last: it is one for all folders, also for those that were listed before. */
export const toldOrder = sessionStore<Sorting | null>(null)

/** Entries of a listing that say nothing about rights have those of their folder. */
function completed<Answer extends Resource | Folder>(answer: Answer): Answer {
  const { can } = answer
  if (!('items' in answer)) return answer
  if (can !== undefined) for (const item of answer.items) item.can ??= can
  const { sorting } = answer
  const [own, told] = [ownOrder.get(), toldOrder.get()]
  if (told?.by !== sorting?.by || told?.asc !== sorting?.asc) toldOrder.set(sorting)
  return own === null ? answer : { ...answer, sorting: own, items: answer.items.toSorted(folderOrder(own)) }
}

/** So many at once the server tells. */
const mostNames = 1000

/** Those of the named entries of a folder that are there, without a listing of it. */
export async function entriesNamed(folder: string, names: readonly string[], signal?: AbortSignal): Promise<Entry[]> {
  const found: Entry[] = []
  for (let at = 0; at < names.length; at += mostNames) {
    const body = { names: names.slice(at, at + mostNames) }
    const response = await call('POST', `entries${encodePath(folder)}`, { body, ...(signal && { signal }) })
    for (const entry of (await response.json().catch(throwConnectionLost)) as Entry[]) found.push(entry)
  }
  return found
}

/**
 * Makes the shown listings of these folders ask again, also those whose first answer is on its way: it is older. Resolves
 * when the answers are shown.
 */
export async function refreshFolders(paths: string | readonly string[]): Promise<void> {
  const wanted = new Set([paths].flat())
  const isWanted = ({ queryKey: [kind, path] }: Query) => kind === 'resource' && wanted.has(String(path))
  await cache().cancelQueries({ predicate: (query) => query.state.data === undefined && isWanted(query) })
  await cache().invalidateQueries({ predicate: isWanted })
  // Views are told of the answer in a task of their own.
  await new Promise((told) => setTimeout(told))
}

/** The sizes of some pictures and films of a folder. */
export const readMedia = async (
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<NamedMediaFacts[]> => (await call('POST', `media${encodePath(folder)}`, { body: { names }, signal })).json()

/** The size of a picture or film, and what its camera has noted. */
export const readMediaFacts = (path: string, signal: AbortSignal): Promise<MediaFacts> =>
  getJson(`media${encodePath(path)}`, { signal })

export const usageQuery = (folder: string) =>
  queryOptions({
    queryKey: ['usage', folder],
    queryFn: ({ signal }) => getJson<Usage>(`usage${encodePath(folder === '/' ? '/' : `${folder}/`)}`, { signal }),
  })

/** Everything below a folder, in one flat list. */
export const readRecursive = (folder: string, signal?: AbortSignal): Promise<RecursiveEntry[]> =>
  getJson(`resources/recursive${encodePath(folder)}`, signal && { signal })

/** A request that changes something: `batch` is the id under which it can be taken back, of its own or of several requests. */
export interface Changing {
  signal?: AbortSignal
  batch?: string | undefined
}

const changing = ({ signal, batch }: Changing): Call => ({
  ...(signal && { signal }),
  ...(batch !== undefined && { headers: { [operationHeader]: batch } }),
})

/** Unlike any other. Not by `randomUUID`, which pages without a secure connection do not have. */
export const newBatch = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const createFolder = async (path: string, options: Changing = {}): Promise<void> =>
  void (await call('POST', `resources${encodePath(path)}/`, changing(options)))

/** An empty file. Refused when the name is taken. */
export const createFile = async (path: string, options: Changing = {}): Promise<void> =>
  void (await call('POST', `resources${encodePath(path)}?override=false`, { ...changing(options), body: '' }))

/** Gives an entry another path. Refused when that is taken. */
export async function rename(from: string, to: string, options: Changing = {}): Promise<void> {
  // Encoded twice: the parameter holds an address, not a path. Programs of the predecessor rely on it.
  const query = new URLSearchParams({
    action: 'rename',
    destination: encodePath(to),
    override: 'false',
    rename: 'false',
  })
  await call('PATCH', `resources${encodePath(from)}?${query}`, changing(options))
}

/** The address of a file's bytes. `inline` shows it in the browser instead of saving it. */
export const rawUrl = (path: string, options: { inline?: boolean } = {}): string =>
  apiUrl(`raw${encodePath(path)}${options.inline === true ? '?inline=true' : ''}`)

export type PreviewSize = 'thumb' | 'big' | '512' | '1024'

export const previewUrl = (size: PreviewSize, entry: Pick<Entry, 'path' | 'modified'>): string =>
  apiUrl(`preview/${size}${encodePath(entry.path)}?inline=true&key=${Date.parse(entry.modified)}`)

export const subtitleUrl = (path: string): string => apiUrl(`subtitle${encodePath(path)}?inline=true`)
