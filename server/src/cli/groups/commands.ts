import type { Group } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { type Given, parseFlags } from '../../config/config.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { endGrantsOf } from '../../grants/grants.ts'
import { changeGroup, createGroup, removeGroup } from '../../groups/groups.ts'
import { allGroups } from '../../groups/store.ts'
import { usernames } from '../../users/store.ts'
import { withDatabase } from '../database.ts'
import { columns, print, printJson } from '../output.ts'
import { userCalled } from '../users/commands.ts'
import { GroupFlags } from './flags.ts'

export const groupsList = (given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => show(db, await allGroups(db), given))

export const groupsAdd = (name: string, members: readonly string[], given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) =>
    show(db, [await createGroup({ db }, { name: name.trim(), members: await idsOf(db, members) })], given),
  )

export const groupsUpdate = (which: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const { name, add = [], remove = [] } = parseFlags(GroupFlags, given)
    const group = await groupCalled(db, which)
    const leaving = await idsOf(db, remove)
    const members = [...group.members, ...(await idsOf(db, add))].filter((id) => !leaving.includes(id))
    await show(db, [await changeGroup({ db }, group.id, { name: name?.trim() ?? group.name, members })], given)
  })

export const groupsRemove = (which: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const { id, name } = await groupCalled(db, which)
    await removeGroup({ db, endGrants: endGrantsOf }, id)
    print(`Removed group ${id}, ${JSON.stringify(name)}, with all that was granted to it`)
  })

/** By its name, or else by its number. */
export async function groupCalled(db: Kysely<Database>, which: string): Promise<Group> {
  const groups = await allGroups(db)
  const folded = which.normalize('NFC').toLowerCase()
  const found =
    groups.find(({ name }) => name.normalize('NFC').toLowerCase() === folded) ??
    groups.find(({ id }) => String(id) === which)
  if (found === undefined) throw new Failure('not-found', `There is no group ${JSON.stringify(which)}`)
  return found
}

async function idsOf(db: Kysely<Database>, users: readonly string[]): Promise<number[]> {
  const ids: number[] = []
  for (const who of users) ids.push((await userCalled(db, who)).id)
  return ids
}

async function show(db: Kysely<Database>, groups: readonly Group[], { json }: Given): Promise<void> {
  if (json === 'true') return printJson(groups)
  const names = await usernames(db)
  const rows = groups.map(({ id, name, source, members }) => [
    ...[id, name, source],
    members.map((member) => names.get(member) ?? member).join(', '),
  ])
  print(rows.length === 0 ? 'There are no groups' : columns(['ID', 'Name', 'Source', 'Members'], rows))
}
