import type { Subject, Why } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Given } from '../../config/config.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { treeOfPerson, whyFor } from '../../grants/explanation.ts'
import type { Location } from '../../mounts/location.ts'
import { settingsReader } from '../../settings/settings.ts'
import { parsePath } from '../../storage/path.ts'
import { withDatabase } from '../database.ts'
import { placeCalled } from '../grants/commands.ts'
import { print, printJson } from '../output.ts'
import { storageWhereKnown } from '../storage.ts'
import { userCalled } from '../users/commands.ts'

/** Says what a person may do at a path, and why. */
export const accessWhy = (who: string, path: string, given: Given): Promise<void> =>
  withDatabase(given, async (opened) => {
    const { db } = opened
    const subject: Subject = who === 'guest' ? who : `user:${(await userCalled(db, who)).id}`
    const location = await locationOf(db, subject, path)
    const storageAt = await storageWhereKnown(opened, given)
    const why = await whyFor({ db, settings: settingsReader(db).now, storageAt }, subject, location)
    if (given.json === 'true') printJson(why)
    else print(textOf(why))
  })

/** '/a' as the person sees it, 'Photos:/a' in a root folder, also one that the person does not see. */
async function locationOf(db: Kysely<Database>, subject: Subject, path: string): Promise<Location> {
  if (!path.startsWith('/')) return placeCalled(db, path)
  const tree = await treeOfPerson(db, subject)
  const location = tree.locate(parsePath(path))
  if (location !== undefined) return location
  const names = tree.parts.map(({ name }) => `/${name}`).join(', ')
  throw new Failure(
    'not-found',
    `This person sees ${names === '' ? 'nothing' : `only ${names}`} at the top; Name:/folder asks about any root folder`,
  )
}

const textOf = ({ rights, reason, change }: Why): string =>
  [`Rights: ${rights.join(' ') || 'none'}`, `Why: ${reason}`, `To change it: ${change}`].join('\n')
