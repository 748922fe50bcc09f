import type { Group, GroupRequest } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { touchAccess } from '../database/counters.ts'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { userIds } from '../users/store.ts'
import { isShowable, requireAccount } from '../users/users.ts'
import {
  allGroupFacts,
  deleteGroup,
  deleteMembers,
  type GroupFacts,
  groupIdsOf,
  groupWithId,
  insertGroup,
  insertMembers,
  membersOf,
  renameGroup,
} from './store.ts'

export interface GroupDeps {
  db: Kysely<Database>
  /** Ends the grants of a group, in the transaction that removes it. */
  endGrants(trx: Transaction<Database>, subject: `group:${number}`): Promise<void>
}

/** Subjects of grants have these names. */
const reservedNames = ['everybody', 'guest']

export function createGroup({ db }: Pick<GroupDeps, 'db'>, wanted: GroupRequest): Promise<Group> {
  return durableTransaction(db, 'serializable', async (trx) => {
    await requireFreeName(trx, wanted.name)
    const members = await requireUsers(trx, wanted.members)
    const id = await insertGroup(trx, { name: wanted.name, source: 'local' })
    await insertMembers(
      trx,
      members.map((userId) => ({ userId, groupId: id })),
    )
    await touchAccess(trx)
    return { id, name: wanted.name, source: 'local', members }
  })
}

export function changeGroup({ db }: Pick<GroupDeps, 'db'>, id: number, wanted: GroupRequest): Promise<Group> {
  return durableTransaction(db, 'serializable', async (trx) => {
    requireLocal(await requireGroup(trx, id))
    await requireFreeName(trx, wanted.name, id)
    const members = await requireUsers(trx, wanted.members)
    const { added, removed } = difference(await membersOf(trx, id), members)
    await renameGroup(trx, id, wanted.name)
    await insertMembers(
      trx,
      added.map((userId) => ({ userId, groupId: id })),
    )
    await deleteMembers(
      trx,
      removed.map((userId) => ({ userId, groupId: id })),
    )
    await touchAccess(trx)
    return { id, name: wanted.name, source: 'local', members }
  })
}

/** Its grants end with it. */
export async function removeGroup({ db, endGrants }: GroupDeps, id: number): Promise<void> {
  await durableTransaction(db, 'serializable', async (trx) => {
    requireLocal(await requireGroup(trx, id))
    await endGrants(trx, `group:${id}`)
    await deleteGroup(trx, id)
    await touchAccess(trx)
  })
}

export async function groupsOfUser({ db }: Pick<GroupDeps, 'db'>, userId: number): Promise<number[]> {
  await requireAccount(db, userId)
  return (await groupIdsOf(db, userId)).toSorted((one, other) => one - other)
}

/** Puts a user into these groups and into no other. */
export function setGroupsOfUser(
  { db }: Pick<GroupDeps, 'db'>,
  userId: number,
  wanted: readonly number[],
): Promise<number[]> {
  return durableTransaction(db, 'serializable', async (trx) => {
    await requireAccount(trx, userId)
    const known = new Map((await allGroupFacts(trx)).map((group) => [group.id, group]))
    const unknown = wanted.find((id) => !known.has(id))
    if (unknown !== undefined) throw new Failure('invalid', `there is no group ${unknown}`)
    const groups = [...new Set(wanted)].toSorted((one, other) => one - other)
    const { added, removed } = difference(await groupIdsOf(trx, userId), groups)
    for (const id of [...added, ...removed]) requireLocal(known.get(id))
    await insertMembers(
      trx,
      added.map((groupId) => ({ userId, groupId })),
    )
    await deleteMembers(
      trx,
      removed.map((groupId) => ({ userId, groupId })),
    )
    await touchAccess(trx)
    return groups
  })
}

async function requireGroup(db: Kysely<Database>, id: number): Promise<GroupFacts> {
  const group = await groupWithId(db, id)
  if (group === undefined) throw new Failure('not-found', 'There is no such group')
  return group
}

/** Members of other groups are told by the directory or the provider at every sign-in. */
function requireLocal(group: GroupFacts | undefined): void {
  if (group !== undefined && group.source !== 'local')
    throw new Failure(
      'forbidden',
      `The group ${JSON.stringify(group.name)} comes from ${group.source} and is changed there`,
    )
}

async function requireFreeName(trx: Kysely<Database>, name: string, id?: number): Promise<void> {
  if (name === '') throw new Failure('invalid', 'the name is empty')
  if (!isShowable(name)) throw new Failure('invalid', 'the name holds characters that cannot be shown')
  if (reservedNames.includes(folded(name)))
    throw new Failure('invalid', `${JSON.stringify(name)} is a name of its own: no group can have it`)
  const taken = (await allGroupFacts(trx)).find((group) => group.id !== id && folded(group.name) === folded(name))
  if (taken !== undefined) throw new Failure('already-exists', `There is a group ${JSON.stringify(taken.name)} already`)
}

const folded = (name: string): string => name.normalize('NFC').toLowerCase()

/** Ids of users, each once and in order. */
async function requireUsers(trx: Kysely<Database>, ids: readonly number[]): Promise<number[]> {
  const wanted = [...new Set(ids)].toSorted((one, other) => one - other)
  if (wanted.length === 0) return wanted
  const known = new Set(await userIds(trx))
  const unknown = wanted.find((id) => !known.has(id))
  if (unknown !== undefined) throw new Failure('invalid', `there is no user ${unknown}`)
  return wanted
}

function difference(before: readonly number[], after: readonly number[]): { added: number[]; removed: number[] } {
  const [old, now] = [new Set(before), new Set(after)]
  return { added: after.filter((id) => !old.has(id)), removed: before.filter((id) => !now.has(id)) }
}
