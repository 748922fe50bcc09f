import { allRights, join, type Resource } from '@filestead/contract'
import { z } from 'zod'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { toResource } from '../entries/resource.ts'
import { Failure } from '../failure.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { typesOf } from './browse.ts'
import { rightsField } from './rights-field.ts'

/** In one request; a client with more asks again. */
const mostNames = 1000

export const EntryNames = z.object({ names: z.array(z.string().min(1)).max(mostNames) })

/**
 * Those of the named entries of a folder that are there and may be seen. A client learns from it which names are taken,
 * and how an entry that it has changed looks now, without a listing of the folder.
 */
export async function namedEntries(
  scope: Scope,
  folder: VirtualPath,
  names: readonly string[],
  options: { detectByContent: boolean; signal: Cancellation },
): Promise<Resource[]> {
  const entries: Entry[] = []
  for (const name of new Set(names)) {
    options.signal.throwIfAborted()
    const entry = await entryAt(scope, folder, name)
    // A link that was followed shows the name of its target.
    if (entry !== undefined) entries.push(entry.name === name ? entry : entry.with({ name }))
  }
  const { types } = await typesOf(scope, folder, entries, options)
  const grants = scope.rightsIn(folder)
  return entries.map((entry, index) => ({
    ...toResource(entry, join(folder, entry.name), types[index] ?? 'blob'),
    ...rightsField(grants?.rightsOf(entry.name) ?? allRights),
  }))
}

async function entryAt(scope: Scope, folder: VirtualPath, name: string): Promise<Entry | undefined> {
  // What is no name of an entry names none.
  if (name.includes('/') || name === '.' || name === '..') return undefined
  try {
    return await scope.stat(parsePath(join(folder, name)))
  } catch (error) {
    if (error instanceof Failure && ['not-found', 'forbidden', 'invalid'].includes(error.code)) return undefined
    throw error
  }
}
