import { join, MediaFacts, mostMediaNames, NamedMediaFacts } from '@filestead/contract'
import { z } from 'zod'
import { requirePermission } from '../../access/actor.ts'
import { identityOf } from '../../access/identity.ts'
import { type Route, route } from '../../access/routes.ts'
import type { Scope } from '../../access/scope.ts'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { ignoring } from '../../failure.ts'
import { openForDownload } from '../../files/read.ts'
import { json } from '../../http/answers.ts'
import { returnsJson } from '../../http/returns.ts'
import { parsePath, type VirtualPath } from '../../storage/path.ts'
import { noPreview } from '../previews.ts'
import { type MediaMemory, mediaMemory } from './facts.ts'

const Names = z.object({ names: z.array(z.string().min(1)).max(mostMediaNames) })
const returnsNamed = returnsJson(z.array(NamedMediaFacts), 'Those that are pictures or films')

export function mediaRoutes(): Route[] {
  const memory = mediaMemory()
  return [
    route({
      method: 'GET',
      path: '/api/media/*',
      access: ['download'],
      guests: true,
      past: true,
      summary: 'The size of a picture or film, how long the film is, and what the camera has noted in the picture.',
      returns: returnsJson(MediaFacts, 'The facts'),
      sample: { at: 'box/picture.gif' },
      async answer(context) {
        const { scope, path } = context
        const facts = await factsAt(memory, scope, path)
        if (facts === undefined) throw noPreview()
        return json(facts, context)
      },
    }),
    route({
      method: 'POST',
      path: '/api/media/*',
      access: ['download'],
      guests: true,
      past: true,
      summary: 'The sizes of some pictures and films of a folder, by their names.',
      details: 'What is neither, cannot be read, or is not seen by the account, is left out.',
      body: Names,
      returns: returnsNamed,
      sample: { at: 'box/', body: { names: ['picture.gif'] } },
      async answer(context) {
        const { scope, path, cancellation } = context
        return json(await namedFacts(memory, scope, path, (await context.body()).names, cancellation), context)
      },
    }),
    route({
      method: 'POST',
      path: '/api/public/media/*',
      access: 'visitors',
      summary: 'The sizes of some pictures and films of a shared folder, by their names.',
      body: Names,
      returns: returnsNamed,
      sample: ({ link }) => ({ at: link, body: { names: ['picture.gif'] } }),
      async answer(context) {
        const { visit, cancellation } = context
        const { names } = await context.body()
        return json(await namedFacts(memory, visit.scope, visit.path, names, cancellation), context)
      },
    }),
  ]
}

async function factsAt(memory: MediaMemory, scope: Scope, path: VirtualPath): Promise<MediaFacts | undefined> {
  requirePermission(scope.actor, 'download')
  // Facts that are kept are told without a look at the content, and need the right to it as well.
  const { entry, file } = await scope.find(path, { lists: false, largestOpened: 0, right: 'download' })
  file?.close()
  if (entry.kind !== 'file') return undefined
  return memory.of(
    entry,
    (each) => identityOf(scope, path, each),
    () => openForDownload(scope, path),
  )
}

/** Asynchronous as a whole: a name that is none fails as one that is not there does. */
const factsIn = async (memory: MediaMemory, scope: Scope, folder: VirtualPath, name: string) =>
  factsAt(memory, scope, parsePath(join(folder, name)))

/** One file after the other: a folder on a slow disk is not read by one request with all threads there are. */
async function namedFacts(
  memory: MediaMemory,
  scope: Scope,
  folder: VirtualPath,
  names: readonly string[],
  signal: Cancellation,
): Promise<NamedMediaFacts[]> {
  const found: NamedMediaFacts[] = []
  for (const name of new Set(names)) {
    signal.throwIfAborted()
    if (name.includes('/') || name === '.' || name === '..') continue
    const facts = await factsIn(memory, scope, folder, name).catch(ignoring('not-found', 'forbidden', 'invalid'))
    if (facts === undefined) continue
    const { width, height, duration } = facts
    found.push({ name, width, height, ...(duration !== undefined && { duration }) })
  }
  return found
}
