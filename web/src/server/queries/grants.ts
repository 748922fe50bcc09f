import type { Grant, GrantRequest, Right, Subject, Why } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from '../client.ts'
import { cache } from './cache.ts'

interface GrantFilter {
  subject?: Subject
  mount?: number
  /** Those for this very folder, unless `above` or `below` says more. */
  folder?: string
  /** Also those for the folders above it. */
  above?: true
  /** Also those for the folders below it. */
  below?: true
  /** No more than so many. */
  limit?: number
}

/** Who has which rights where, for administrators. */
export const grantsQuery = (filter: GrantFilter = {}) =>
  queryOptions({
    queryKey: ['grants', filter],
    queryFn: ({ signal }) => getJson<Grant[]>(`grants${searchOf(filter)}`, { signal }),
  })

/** Makes the grant, or replaces that of the same subject for the same folder. */
export async function saveGrant(grant: GrantRequest): Promise<Grant> {
  const saved: Grant = await (await call('POST', 'grants', { body: grant })).json()
  await rereadRights()
  return saved
}

export async function changeGrant(id: number, rights: readonly Right[]): Promise<void> {
  await call('PUT', `grants/${id}`, { body: { rights } })
  await rereadRights()
}

export async function removeGrant(id: number): Promise<void> {
  await call('DELETE', `grants/${id}`)
  await rereadRights()
}

/** What a person, or a guest, can do in a folder, and why. */
export const whyQuery = (subject: Subject, mount: number, folder: string) =>
  queryOptions({
    queryKey: ['why', subject, mount, folder],
    queryFn: ({ signal }) => getJson<Why>(`access/why${searchOf({ subject, mount, folder })}`, { signal }),
  })

/**
 * What a grant or a membership changes may be what the administrator sees: listings, the folder tree and root folders
 * included. Only the rights are waited for; a folder in view may lie on a disk that does not answer.
 */
export function rereadRights(): Promise<unknown> {
  const reread = (first: string) => cache().invalidateQueries({ queryKey: [first] })
  for (const first of ['resource', 'folders', 'folder-rights']) void reread(first)
  return Promise.all(['grants', 'why', 'mounts'].map(reread))
}

function searchOf(values: object): string {
  const search = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString()
  return search === '' ? '' : `?${search}`
}
