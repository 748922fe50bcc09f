import { moveDatabase } from '../backups/move.ts'
import type { Given } from '../config/config.ts'
import { isInFile } from '../config/databases.ts'
import { shownAddress } from '../database/address.ts'
import { Failure } from '../failure.ts'
import { isNotThere, locate, requirePlaceFor, requireUsable, requireVisible, tellLocation } from './database.ts'
import { notice, print } from './output.ts'
import { ownedAsBefore } from './ownership.ts'

/** Moves everything into another, new database. Refused while a server runs. */
export async function move({ to, ...given }: Given): Promise<void> {
  if (to === undefined) throw new Failure('invalid', 'Name the new database: --to postgres://user@host/database')
  const source = locate(given)
  const target = locate({ ...given, database: to })
  requireVisible(source)
  requireUsable(source)
  const [shown, shownTarget] = [shownAddress(source.address), shownAddress(target.address)]
  if (await isNotThere(source)) throw new Failure('not-found', `${shown} does not exist, so there is nothing to move`)
  requireVisible(target)
  if (!(await isNotThere(target)))
    throw new Failure('already-exists', `${shownTarget} is in use already; a move needs a new database`)
  requirePlaceFor(target)
  const { rows, kept } = await ownedAsBefore(source.file, () =>
    ownedAsBefore(target.file, () => moveDatabase(source.address, target.address)),
  )
  tellLocation(source)
  print(`Moved ${rows} rows to ${shownTarget}; every row was read again there and compared`)
  print(
    kept === undefined
      ? `${shown} still holds what it did. Delete it when all is well`
      : `The former database is kept as ${kept}. Delete it when all is well`,
  )
  notice(`From now on name the new one: --database ${shownTarget}, or FILESTEAD_DATABASE, or the config file.`)
  if (!isInFile(target)) notice('Drafts, previews and caches of a server stay on its own machine.')
}
