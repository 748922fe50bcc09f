import { type Grant, type Right, rightNames, type Subject } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { type Given, parseFlags } from '../../config/config.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { listGrants, removeGrant, saveGrant } from '../../grants/grants.ts'
import { firstMount, type Location, locationIn, mountOf, pathIn } from '../../mounts/location.ts'
import { allMounts } from '../../mounts/store.ts'
import { parsePath } from '../../storage/path.ts'
import { withDatabase } from '../database.ts'
import { groupCalled } from '../groups/commands.ts'
import { mountCalled } from '../mounts/commands.ts'
import { columns, print, printJson } from '../output.ts'
import { storageWhereKnown } from '../storage.ts'
import { userCalled } from '../users/commands.ts'
import { GrantFilterFlags } from './flags.ts'

export const grantsList = (given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const { subject, folder, below } = parseFlags(GrantFilterFlags, given)
    const at = folder === undefined ? undefined : await placeCalled(db, folder)
    const grants = await listGrants(db, {
      below,
      ...(subject !== undefined && { subject: await subjectCalled(db, subject) }),
      ...(at !== undefined && { mount: mountOf(at), folder: pathIn(at) }),
    })
    await show(db, grants, given)
  })

export const grantsAdd = (who: string, folder: string, words: readonly string[], given: Given): Promise<void> =>
  withDatabase(given, async (opened) => {
    const { db } = opened
    const rights = rightsIn(words)
    const place = await placeCalled(db, folder)
    const subject = await subjectCalled(db, who)
    const storageAt = await storageWhereKnown(opened, given)
    const wanted = { subject, mount: mountOf(place), folder: pathIn(place), rights }
    await show(db, [await saveGrant({ db, storageAt }, wanted)], given)
  })

/** A number is that of a grant; a subject needs the folder, too. */
export const grantsRemove = (which: string, folder: string | undefined, given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const { id } = folder === undefined ? { id: numberIn(which) } : await grantOf(db, which, folder)
    const { subject, location } = await removeGrant({ db }, id)
    print(`Removed grant ${id}, of ${subject} for ${await placeText(db, location)}`)
  })

async function grantOf(db: Kysely<Database>, who: string, folder: string): Promise<Grant> {
  const [subject, place] = [await subjectCalled(db, who), await placeCalled(db, folder)]
  const [grant] = await listGrants(db, { subject, mount: mountOf(place), folder: pathIn(place) })
  if (grant === undefined)
    throw new Failure('not-found', `There is no grant of ${JSON.stringify(who)} for ${JSON.stringify(folder)}`)
  return grant
}

function numberIn(text: string): number {
  if (!/^\d+$/.test(text))
    throw new Failure('invalid', "give the number of the grant that 'grants ls' shows, or a folder behind the name")
  return Number(text)
}

/** 'alice' or 'user:alice', 'group:Team', 'everybody', 'guest'; ids go as well. */
async function subjectCalled(db: Kysely<Database>, who: string): Promise<Subject> {
  if (who === 'everybody' || who === 'guest') return who
  const [, kind = 'user', name = who] = /^(user|group):(.+)$/s.exec(who) ?? []
  return kind === 'group' ? `group:${(await groupCalled(db, name)).id}` : `user:${(await userCalled(db, name)).id}`
}

/** '/a' in the first root folder, 'Photos:/a' in another. */
export async function placeCalled(db: Kysely<Database>, text: string): Promise<Location> {
  const [, mount, path = ''] = /^(?:([^/]+):)?(\/.*)$/s.exec(text) ?? []
  if (path === '') throw new Failure('invalid', `${JSON.stringify(text)} is no folder; write /a or Photos:/a`)
  return locationIn(mount === undefined ? firstMount : (await mountCalled(db, mount)).id, parsePath(path))
}

function rightsIn(words: readonly string[]): Right[] {
  const names = words.flatMap((word) => word.split(',')).map((word) => word.trim().toLowerCase())
  if (names.length === 1 && names[0] === 'none') return []
  if (names.length === 1 && names[0] === 'all') return [...rightNames]
  return names.map((name) => {
    const right = rightNames.find((known) => known === name)
    if (right === undefined)
      throw new Failure(
        'invalid',
        `${JSON.stringify(name)} is no right; there are ${rightNames.join(', ')}, all and none`,
      )
    return right
  })
}

async function placeText(db: Kysely<Database>, location: Location): Promise<string> {
  const mount = (await allMounts(db)).find(({ id }) => id === mountOf(location))
  return `${mount?.name ?? mountOf(location)}:${pathIn(location)}`
}

async function show(db: Kysely<Database>, grants: readonly Grant[], { json }: Given): Promise<void> {
  if (json === 'true') return printJson(grants)
  const names = new Map((await allMounts(db)).map(({ id, name }) => [id, name]))
  const rows = grants.map(({ id, subject, name, mount, folder, rights }) => [
    id,
    subject.startsWith('group:') ? `group:${name}` : name,
    `${names.get(mount) ?? mount}:${folder}`,
    rights.join(' ') || 'none',
  ])
  print(rows.length === 0 ? 'There are no grants' : columns(['ID', 'Who', 'Folder', 'Rights'], rows))
}
