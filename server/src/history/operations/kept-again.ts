import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { isInStore, isWithin, itemPlaceIn, type Location, movedAlong } from '../../mounts/location.ts'
import { type Done, type KeptDone, parseDone } from './effects.ts'
import type { Look } from './look.ts'
import { replaceKept, type StoredOperation } from './store.ts'

/**
 * What was restored and is kept again now has another id and place. Operations from before the restore, which knew it by the
 * place that it had, or knew the folder in which it was kept, find it there.
 */
export const rememberPlace = (db: Kysely<Database>, was: Location, now: KeptDone): Promise<void> =>
  rewrite(db, itemPlaceIn(was), (done) => {
    if (done.some((each) => each.kind === 'kept' && each.place === was))
      return done.map((each) =>
        each.kind === 'kept' && each.place === was ? { ...each, ...asFound(now, each.at) } : each,
      )
    const folder = done.filter(isHolder).findLast(({ place }) => isWithin(was, place))
    if (folder === undefined || done.some((each) => each.kind === 'kept' && each.id === now.id)) return done
    const at = movedAlong(was, folder.place, folder.at)
    return [...done, { kind: 'kept', at, isFolder: now.isFolder, ...asFound(now, at) }]
  })

/**
 * A kept folder that a restore merged with another one is gone from its store, and its parts are kept by themselves when that
 * is taken back: restoring the folder makes it, and the folders in it, anew.
 */
export async function rememberFolders(
  db: Kysely<Database>,
  look: Look,
  restores: readonly StoredOperation[],
): Promise<void> {
  const emptied = restores.flatMap(({ effects }) => emptiedPlaces(effects))
  for (const [item, folders] of Map.groupBy(emptied, itemPlaceIn)) {
    const isGone = (await look.at(item)) === undefined
    await rewrite(db, item, (done) => {
      const top = done.find((each) => isHolder(each) && each.place === item)
      if (top === undefined || !isHolder(top)) return done
      const known = new Set(done.flatMap((each) => (each.kind === 'emptied' ? (each.place ?? []) : [])))
      const made = folders
        .filter((place) => !known.has(place) && (place !== item || isGone))
        .map((place): Done => ({ kind: 'emptied', at: movedAlong(place, item, top.at), place }))
      return [...done.filter((each) => each !== top || each.kind === 'emptied' || !isGone), ...made]
    })
  }
}

type Holder = Extract<Done, { kind: 'kept' | 'emptied' }> & { readonly place: Location }

const isHolder = (done: Done): done is Holder =>
  done.kind === 'kept' || (done.kind === 'emptied' && done.place !== undefined)

const emptiedPlaces = (effects: string | undefined): Location[] => {
  const done = parseDone(effects ?? '')
  return typeof done === 'string'
    ? []
    : done.flatMap((each) => (each.kind === 'emptied' && isInStore(each.at) ? [each.at] : []))
}

const asFound = ({ id, place, at }: KeptDone, wanted: Location) => ({
  id,
  place,
  ...(at !== wanted && { isFixed: true }),
})

const rewrite = (db: Kysely<Database>, item: Location, change: (done: readonly Done[]) => readonly Done[]) =>
  replaceKept(db, item, (effects) => {
    const done = parseDone(effects)
    return typeof done === 'string' ? effects : JSON.stringify(change(done))
  })
