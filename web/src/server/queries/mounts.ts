import {
  type AddressCheck,
  type FoundSnapshots,
  isInside,
  type Mount,
  type MountRequest,
  type ServerFolder,
} from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from '../client.ts'
import { cache } from './cache.ts'

/** What the person sees at the top; for administrators every mount, with its folder on the server. */
export const mountsQuery = () =>
  queryOptions({ queryKey: ['mounts'], queryFn: ({ signal }) => getJson<Mount[]>('mounts', { signal }) })

/** A folder of the server and the folders in it; the top for an empty text. */
export const serverFolderQuery = (folder: string) =>
  queryOptions({
    queryKey: ['server-folders', folder],
    queryFn: ({ signal }) => getJson<ServerFolder>(`mounts/folders?folder=${encodeURIComponent(folder)}`, { signal }),
  })

/** What is found of snapshots, by the settings of a mount. */
export const snapshotsQuery = (id: number) =>
  queryOptions({
    queryKey: ['mounts', id, 'snapshots'],
    queryFn: ({ signal }) => getJson<FoundSnapshots>(`mounts/${id}/snapshots`, { signal }),
  })

/** The mount that holds a path: of several the innermost. */
export const mountAt = (path: string, mounts: readonly Mount[]): Mount | undefined =>
  mounts
    .filter((mount) => mount.path !== undefined && isInside(path, mount.path))
    .toSorted((a, b) => (b.path?.length ?? 0) - (a.path?.length ?? 0))[0]

/** In milliseconds: a promise that something is kept is not made of what was known before that. */
const sureFor = 10_000

/** How long the answer is waited for, in milliseconds. */
const longestAnswer = 2000

/** Is what is removed at all of these paths kept? Not where the server cannot be asked: then nothing is promised. */
export async function areKept(paths: readonly string[]): Promise<boolean> {
  const asked = cache()
    .fetchQuery({ ...mountsQuery(), staleTime: sureFor, retry: false })
    .catch(() => [])
  const late = new Promise<Mount[]>((resolve) => setTimeout(() => resolve([]), longestAnswer))
  const mounts = await Promise.race([asked, late])
  return paths.every((path) => mountAt(path, mounts)?.hasTrash === true)
}

/** What is found at an address elsewhere, before it becomes a mount, or that of the mount with this id. */
export async function checkAddress(folder: string, id?: number): Promise<AddressCheck> {
  return (await call('POST', 'mounts/check', { body: { folder, id } })).json()
}

export async function createMount(mount: MountRequest): Promise<Mount> {
  const made: Mount = await (await call('POST', 'mounts', { body: mount })).json()
  await rereadAll()
  return made
}

export async function updateMount(id: number, mount: MountRequest): Promise<void> {
  await call('PUT', `mounts/${id}`, { body: mount })
  await rereadAll()
}

export async function removeMount(id: number): Promise<void> {
  await call('DELETE', `mounts/${id}`)
  await rereadAll()
}

/**
 * The names of mounts begin all paths: with them, every answer that holds a path is another one. Only the mounts are waited
 * for; a folder in view may lie on a disk that does not answer.
 */
function rereadAll(): Promise<void> {
  const isOfMounts = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] === 'mounts'
  void cache().invalidateQueries({ predicate: (query) => !isOfMounts(query) })
  return cache().invalidateQueries({ predicate: isOfMounts })
}
