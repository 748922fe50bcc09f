import type { Kysely } from 'kysely'
import type { Operations } from '../changes/operations.ts'
import type { Database } from '../database/schema.ts'
import { locationIn } from '../mounts/location.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Effect, Keep, KeptFound } from '../storage/port.ts'
import { type KeptItem, keptInserter } from './store.ts'

/** Hears what a storage did, by mount, before its verb answers. */
export type TellOfMount = (mount: number, operation: string, effects: readonly Effect[]) => void

export interface Remembering {
  readonly operations: Operations
  readonly tell: TellOfMount
}

interface KeptDeps {
  readonly db: Kysely<Database>
  /** Remembers what can be taken back. */
  readonly operations: Operations & { readonly tell: TellOfMount }
  /** Hears of folders, whose size is not known. */
  keptFolder(): void
}

interface Open {
  readonly keep: Keep
  /** Rows that are being added. */
  readonly adding: Promise<void>[]
}

/**
 * Adds a row for each thing that an operation displaces and that is kept, before the operation is answered. A row that cannot
 * be added is no reason to fail what was done: the thing is in its store, and found there later.
 */
export function rememberKept({ db, operations, keptFolder }: KeptDeps): Remembering {
  const insert = keptInserter(db)
  const open = new Map<string, Open>()
  return {
    operations: {
      async begin(change, options) {
        const operation = await operations.begin(change, options)
        const { keep } = operation
        const adding: Promise<void>[] = []
        open.set(keep.operation, { keep, adding })
        return {
          keep,
          async end(...outcome) {
            open.delete(keep.operation)
            await Promise.all(adding)
            await operation.end(...outcome)
          },
        }
      },
    },
    tell(mount, operation, effects) {
      const known = open.get(operation)
      if (known !== undefined)
        for (const effect of effects)
          if (effect.kind === 'kept') {
            known.adding.push(insert(itemOf(mount, effect.kept, known.keep, { isRestricted: false })).catch(() => {}))
            if (effect.kept.kind === 'folder') keptFolder()
          }
      operations.tell(mount, operation, effects)
    },
  }
}

/** `keep` is missing where another program has put it there. */
const itemOf = (
  mount: number,
  { at, id, store, place, kind, size, modified, keptAt }: Extract<Effect, { kind: 'kept' }>['kept'],
  keep: Keep | undefined,
  { isRestricted }: { isRestricted: boolean },
): KeptItem => ({
  id,
  mount,
  store,
  place,
  location: locationIn(mount, at),
  kind,
  size,
  modified,
  keptAt,
  user: keep?.user,
  door: keep?.door ?? '',
  by: keep?.cause ?? 'outside',
  operation: keep?.operation,
  isRestricted,
})

/** One of another program has no id that others could not have as well: the same name may be in two stores. */
export function foundItem(mount: number, found: KeptFound): KeptItem {
  const { keep } = found
  const item = itemOf(mount, found, keep, { isRestricted: keep !== undefined })
  return keep === undefined ? { ...item, id: outsideId(mount, found.place) } : item
}

const outsideId = (mount: number, place: VirtualPath): string =>
  `o-${new Bun.CryptoHasher('sha256')
    .update(`${mount}:${Buffer.from(place).toString('hex')}`)
    .digest('hex')
    .slice(0, 40)}`
