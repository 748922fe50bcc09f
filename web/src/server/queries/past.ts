import { encodePath, type NamedMediaFacts, type Right } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, throwConnectionLost } from '../client.ts'
import { resourcePath } from '../paths.ts'
import { type Folder, isFolder, type Listed, listedIn } from './resources.ts'

/** An older state, as the server names it: `past` of a kept item or of a moment. Nothing is to be read out of it. */
export type PastRef = string

/** The address of something that is read, in that past; null is the present. For addresses below /api and of this page alike. */
export const inPast = (address: string, past: PastRef | null): string =>
  past === null ? address : `${address}${address.includes('?') ? '&' : '?'}past=${encodeURIComponent(past)}`

export const pastKey = (path: string, past: PastRef) => ['past', past, path] as const

/**
 * What lay at a path in that past. Apart from what lies there now: nothing that changes in the present changes it, so it is
 * read once.
 */
export const pastQuery = (path: string, past: PastRef) =>
  queryOptions({
    queryKey: pastKey(path, past),
    queryFn: async ({ signal }) =>
      readOnly(await listedIn(await call('GET', inPast(resourcePath(path), past), { signal }))),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

const readable: readonly Right[] = ['see', 'download']

/** Nothing can be done to the past but to read it, whatever the rights at the same path are now. */
function readOnly(resource: Listed): Listed | Folder {
  const limited = <Entry extends { can?: readonly Right[] | undefined }>(entry: Entry): Entry => ({
    ...entry,
    can: readable.filter((right) => entry.can?.includes(right) !== false),
  })
  return isFolder(resource) ? { ...limited(resource), items: resource.items.map(limited) } : limited(resource)
}

/** The bytes of a file as they were. */
export async function readPastBytes(path: string, past: PastRef | null, signal?: AbortSignal): Promise<Uint8Array> {
  const response = await call('GET', inPast(`raw${encodePath(path)}?inline=true`, past), signal && { signal })
  return new Uint8Array(await response.arrayBuffer().catch(throwConnectionLost))
}

/** The sizes of some pictures and films of a folder, as they were. */
export async function readPastMedia(
  folder: string,
  names: readonly string[],
  past: PastRef,
  signal: AbortSignal,
): Promise<NamedMediaFacts[]> {
  return (await call('POST', inPast(`media${encodePath(folder)}`, past), { body: { names }, signal })).json()
}
