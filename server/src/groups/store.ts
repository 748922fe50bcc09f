import type { Group, GroupSource } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { nextNumber } from '../database/counters.ts'
import { inParts } from '../database/parts.ts'
import type { CircleRow, Database } from '../database/schema.ts'

/** The ids of the groups that a user is in. */
export async function groupIdsOf(db: Kysely<Database>, userId: number): Promise<number[]> {
  const rows = await db.selectFrom('member').select('circle_id').where('user_id', '=', userId).execute()
  return rows.map(({ circle_id }) => circle_id)
}

/** A group without its members. */
export interface GroupFacts {
  readonly id: number
  readonly name: string
  readonly source: GroupSource
}

export async function allGroupFacts(db: Kysely<Database>): Promise<GroupFacts[]> {
  return (await db.selectFrom('circle').selectAll().orderBy('id').execute()).map(toFacts)
}

/** With their members, by id. */
export async function allGroups(db: Kysely<Database>): Promise<Group[]> {
  const members = new Map<number, number[]>()
  const rows = await db.selectFrom('member').selectAll().orderBy('circle_id').orderBy('user_id').execute()
  for (const { circle_id, user_id } of rows) {
    const known = members.get(circle_id)
    if (known === undefined) members.set(circle_id, [user_id])
    else known.push(user_id)
  }
  return (await allGroupFacts(db)).map((group) => ({ ...group, members: members.get(group.id) ?? [] }))
}

export async function groupWithId(db: Kysely<Database>, id: number): Promise<GroupFacts | undefined> {
  const row = await db.selectFrom('circle').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toFacts(row)
}

export async function membersOf(db: Kysely<Database>, id: number): Promise<number[]> {
  const rows = await db.selectFrom('member').select('user_id').where('circle_id', '=', id).orderBy('user_id').execute()
  return rows.map(({ user_id }) => user_id)
}

export async function insertGroup(trx: Transaction<Database>, group: Omit<GroupFacts, 'id'>): Promise<number> {
  const id = await nextNumber(trx, 'circle')
  await trx.insertInto('circle').values({ id, name: group.name, source: group.source }).execute()
  return id
}

export async function renameGroup(trx: Transaction<Database>, id: number, name: string): Promise<void> {
  await trx.updateTable('circle').set({ name }).where('id', '=', id).execute()
}

/** Its members stay users; the rows that say they were in it go with it. */
export async function deleteGroup(trx: Transaction<Database>, id: number): Promise<void> {
  await trx.deleteFrom('member').where('circle_id', '=', id).execute()
  await trx.deleteFrom('circle').where('id', '=', id).execute()
}

export interface Membership {
  readonly userId: number
  readonly groupId: number
}

/** One that is there already stays. */
export async function insertMembers(trx: Transaction<Database>, memberships: readonly Membership[]): Promise<void> {
  for (const part of inParts(memberships)) {
    const rows = part.map(({ userId, groupId }) => ({ user_id: userId, circle_id: groupId }))
    await trx
      .insertInto('member')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

export async function deleteMembers(trx: Transaction<Database>, memberships: readonly Membership[]): Promise<void> {
  for (const { userId, groupId } of memberships)
    await trx.deleteFrom('member').where('user_id', '=', userId).where('circle_id', '=', groupId).execute()
}

const toFacts = ({ id, name, source }: CircleRow): GroupFacts => ({ id, name, source: source as GroupSource })
