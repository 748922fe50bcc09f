import { resolve } from 'node:path'
import { linkPolicies, MountHistory, rightNames, type Subject } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Given } from '../../config/config.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { listGrants, saveGrant } from '../../grants/grants.ts'
import { changeGroup, createGroup } from '../../groups/groups.ts'
import { allGroups } from '../../groups/store.ts'
import { addMount, changeMount } from '../../mounting/mounts.ts'
import { firstMount } from '../../mounts/location.ts'
import { allMounts } from '../../mounts/store.ts'
import { contentOf } from '../../takeover/from-exports.ts'
import { parsed } from '../../takeover/source.ts'
import { accountNamed, usernames } from '../../users/store.ts'
import { withDatabase } from '../database.ts'
import { formatOf, noteAsPrivate, writePrivately } from '../export.ts'
import { groupCalled } from '../groups/commands.ts'
import { depsFor } from '../mounts/commands.ts'
import { print, printable, warn } from '../output.ts'

/** Names instead of numbers, which are others in another instance. */
const AccessFile = z.object({
  mounts: z.array(
    z.object({
      name: z.string(),
      /** The one of --root; its folder is chosen where a server is started. */
      isFirst: z.boolean().default(false),
      folder: z.string().default(''),
      links: z.enum(linkPolicies).default('inside'),
      readOnly: z.boolean().default(false),
      /** What it keeps of what is removed and replaced. */
      history: MountHistory.partial().optional(),
    }),
  ),
  groups: z.array(z.object({ name: z.string(), members: z.array(z.string()) })),
  grants: z.array(
    z.object({
      /** 'user', 'group', 'everybody' or 'guest'. */
      kind: z.enum(['user', 'group', 'everybody', 'guest']),
      name: z.string().default(''),
      mount: z.string(),
      folder: z.string(),
      rights: z.array(z.enum(rightNames)),
    }),
  ),
})
type AccessFile = z.infer<typeof AccessFile>

/** Root folders, groups with their members, and grants. */
export const accessExport = (file: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db, file: database }) => {
    const format = formatOf(file)
    const content = await contentIn(db)
    noteAsPrivate(database, file)
    writePrivately(file, format(content))
  })

async function contentIn(db: Kysely<Database>): Promise<AccessFile> {
  const mounts = await allMounts(db)
  const users = await usernames(db)
  const mountName = new Map(mounts.map(({ id, name }) => [id, name]))
  return {
    mounts: mounts.map(({ id, name, folder, links, readOnly, history }) => ({
      ...{ name, isFirst: id === firstMount, folder, links, readOnly, history },
    })),
    groups: (await allGroups(db)).map(({ name, members }) => ({
      name,
      members: members.flatMap((id) => users.get(id) ?? []),
    })),
    grants: (await listGrants(db, {})).flatMap(({ subject, name, mount, folder, rights }) => {
      const named = mountName.get(mount)
      const kind = subject.split(':')[0] as AccessFile['grants'][number]['kind']
      // Of a root folder that the configuration does not name now.
      return named === undefined ? [] : [{ kind, name: subject === kind ? '' : name, mount: named, folder, rights }]
    }),
  }
}

/** Adds what the file holds to what is there. What cannot be taken is told, and everything else is taken. */
export async function accessImport(name: string, given: Given): Promise<void> {
  formatOf(name)
  const content = parsed(AccessFile, contentOf(resolve(name)), name)
  await withDatabase(given, async (opened) => {
    const { db } = opened
    const left: string[] = []
    const deps = await depsFor(opened, given)
    const take = async (what: string, work: () => Promise<unknown>): Promise<void> => {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        left.push(`${what} is left out: ${error.message}`)
      }
    }
    const mounts = new Map<string, number>()
    for (const { isFirst, ...mount } of content.mounts)
      await take(`The root folder ${quoted(mount.name)}`, async () => {
        const known = (await allMounts(db)).find((one) => (isFirst ? one.id === firstMount : isCalled(one, mount.name)))
        mounts.set(mount.name, (known ?? (await addMount(deps, mount))).id)
        if (known !== undefined && isFirst && mount.history !== undefined)
          await changeMount(deps, known.id, { ...known, folder: '', history: mount.history })
        if (known !== undefined && !isFirst && known.folder !== mount.folder)
          left.push(`The root folder ${quoted(mount.name)} is there with another folder, ${known.folder}, which stays`)
      })
    for (const group of content.groups)
      await take(`The group ${quoted(group.name)}`, () => takeGroup(db, group, (text) => left.push(text)))
    for (const grant of content.grants)
      await take(`The grant of ${grant.kind} ${quoted(grant.name)} for ${grant.mount}:${grant.folder}`, async () => {
        const mount = mounts.get(grant.mount)
        if (mount === undefined) throw new Failure('not-found', `there is no root folder ${quoted(grant.mount)}`)
        const { folder, rights } = grant
        await saveGrant({ db }, { subject: await subjectOf(db, grant), mount, folder, rights })
      })
    for (const text of left) warn(printable(text))
    const { groups, grants } = content
    print(
      `Read ${mounts.size} root folders, ${groups.length} groups and ${grants.length} grants; ${left.length} remarks`,
    )
  })
}

/** Members are added to those who are in it. */
async function takeGroup(
  db: Kysely<Database>,
  { name, members }: AccessFile['groups'][number],
  tell: (text: string) => void,
): Promise<void> {
  const ids: number[] = []
  for (const username of members) {
    const account = await accountNamed(db, username)
    if (account === undefined) tell(`There is no user ${quoted(username)}, who is in the group ${quoted(name)}`)
    else ids.push(account.user.id)
  }
  const known = (await allGroups(db)).find((group) => isCalled(group, name))
  if (known === undefined) await createGroup({ db }, { name, members: ids })
  else await changeGroup({ db }, known.id, { name: known.name, members: [...known.members, ...ids] })
}

async function subjectOf(db: Kysely<Database>, { kind, name }: AccessFile['grants'][number]): Promise<Subject> {
  if (kind === 'everybody' || kind === 'guest') return kind
  if (kind === 'group') return `group:${(await groupCalled(db, name)).id}`
  const account = await accountNamed(db, name)
  if (account === undefined) throw new Failure('not-found', `There is no user ${quoted(name)}`)
  return `user:${account.user.id}`
}

const isCalled = (one: { readonly name: string }, name: string): boolean =>
  one.name.normalize('NFC').toLowerCase() === name.normalize('NFC').toLowerCase()

const quoted = (name: string): string => JSON.stringify(name)
