import type { Mount, MountRequest, ServerFolder } from '@filestead/contract'
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
