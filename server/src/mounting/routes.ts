import { AddressCheck, FoundSnapshots, Mount, MountRequest, ServerFolder } from '@filestead/contract'
import { z } from 'zod'
import { type Route, route } from '../access/routes.ts'
import { Failure } from '../failure.ts'
import { created, done, json } from '../http/answers.ts'
import type { RequestContext } from '../http/request.ts'
import { returnsCreated, returnsJson, returnsNothing } from '../http/returns.ts'
import type { MountFacts } from '../mounts/store.ts'
import { sourcesOf } from '../snapshots/find.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import { loggedAddress } from '../storage/address.ts'
import { addressChecker, type CheckDeps } from './check.ts'
import { keptIn, type ListDeps, listMounts, ofAdministrators, storageIn } from './list.ts'
import { addMount, changeMount, type MountingDeps, removeMount } from './mounts.ts'

export interface MountRoutesDeps extends MountingDeps, ListDeps, Pick<CheckDeps, 'lookAtServer'> {
  /** The folders in a folder of the server, as far as the command line allows to look. */
  foldersIn(folder: string): Promise<ServerFolder>
  readonly snapshots: Pick<Snapshots, 'lookNow'>
}

const oneMount = '/api/mounts/:id{[0-9]+}'

const FolderQuery = z.object({
  folder: z.string().default('').describe('a full path of the server; empty for the folders that may be looked into'),
})

const CheckRequest = z.object({
  folder: z.string().max(2000).describe('the address of a bucket or of another server'),
  id: z.number().int().optional().describe('the mount that shall be changed'),
  readOnly: z.boolean().default(false),
})

export function mountRoutes(deps: MountRoutesDeps): Route[] {
  return [...routesOfMounts(deps), checkRoute(deps)]
}

function checkRoute(deps: MountRoutesDeps): Route {
  const check = addressChecker(deps)
  return route({
    method: 'POST',
    path: '/api/mounts/check',
    access: ['admin'],
    summary: 'Ask the server of an address whether it can be a mount. Nothing is stored.',
    details: 'A few times a minute. Of a server whose key is not confirmed yet, the key is told.',
    body: CheckRequest,
    returns: returnsJson(AddressCheck, 'What was found'),
    sample: { body: { folder: 's3+https://localhost:1/bucket' } },
    async answer(context) {
      const wanted = await context.body()
      context.note({ folder: loggedAddress(wanted.folder) })
      return json(await check(wanted), context)
    },
  })
}

const routesOfMounts = (deps: MountRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/mounts',
    access: [],
    guests: true,
    summary: 'The parts of what the caller sees. For administrators all mounts, with their folders on the server.',
    returns: returnsJson(z.array(Mount), 'A list of mounts'),
    sample: {},
    answer: async (context) => json(await listMounts(deps, context.scope), context),
  }),
  route({
    method: 'POST',
    path: '/api/mounts',
    access: ['admin'],
    summary: 'Add a folder of the server, a bucket or a folder of another server as a mount.',
    details:
      'It is visible to no account before there is a grant. With a second mount, paths begin with the name of one.',
    body: MountRequest,
    returns: returnsCreated(Mount, 'The mount'),
    sample: ({ folder }) => ({ body: { name: 'Photos', folder } }),
    async answer(context) {
      const mount = await addMount(deps, await context.body())
      context.note({ mount: mount.name, folder: mount.folder })
      return created(await toWire(deps, mount))
    },
  }),
  route({
    method: 'PUT',
    path: oneMount,
    access: ['admin'],
    summary: 'Give a mount another name, folder or policy.',
    details: 'An empty folder leaves the present one; that of the first mount is chosen by --root.',
    body: MountRequest,
    returns: returnsJson(Mount, 'The mount'),
    sample: { params: { id: '1' }, body: { name: 'Documents' } },
    async answer(context) {
      const mount = await changeMount(deps, idIn(context), await context.body())
      context.note({ mount: mount.name, folder: mount.folder })
      return json(await toWire(deps, mount), context)
    },
  }),
  route({
    method: 'DELETE',
    path: oneMount,
    access: ['admin'],
    summary: 'Remove a mount. Its files stay; grants, links, favourites and unfinished uploads in it end.',
    returns: returnsNothing(),
    sample: ({ mountId }) => ({ params: { id: String(mountId) } }),
    async answer(context) {
      const { name, folder } = await removeMount(deps, idIn(context))
      context.note({ mount: name, folder })
      return done(204)
    },
  }),
  route({
    method: 'GET',
    path: '/api/mounts/folders',
    access: ['admin'],
    summary: 'The folders in a folder of the server, to choose one as a mount.',
    details: 'Only below the folders of --mountable.',
    query: FolderQuery,
    returns: returnsJson(ServerFolder, 'The folder'),
    sample: {},
    answer: async (context) => json(await deps.foldersIn(context.query.folder), context),
  }),
  route({
    method: 'GET',
    path: `${oneMount}/snapshots`,
    access: ['admin'],
    summary: 'Where snapshots of a mount were found.',
    details: 'By the stored settings of the mount; looked for now.',
    returns: returnsJson(FoundSnapshots, 'The sources'),
    sample: { params: { id: '1' } },
    async answer(context) {
      const id = idIn(context)
      if (!(await deps.mounts.all()).some((mount) => mount.id === id)) throw noSuchMount()
      return json(sourcesOf(await deps.snapshots.lookNow(id)), context)
    },
  }),
]

/** The answer to a change; where the mount lies in the caller's tree is told by the list. */
async function toWire({ mounts }: ListDeps, facts: MountFacts): Promise<Mount> {
  const { id, name, readOnly } = facts
  // Read again at once, so that the first look at the folder does not wait for the next request.
  const now = (await mounts.all()).find((mount) => mount.id === id)
  return {
    ...{ id, name, isHome: false, isAway: mounts.isAway(id), readOnly },
    ...storageIn(mounts, facts),
    ...keptIn(now ?? facts),
    ...(now && ofAdministrators(mounts, now)),
  }
}

function idIn({ match }: RequestContext): number {
  const id = Number(match.params.id)
  if (!Number.isSafeInteger(id)) throw noSuchMount()
  return id
}

const noSuchMount = () => new Failure('not-found', 'There is no such root folder')
