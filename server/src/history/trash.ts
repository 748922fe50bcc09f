import { isInside, nameOf, type KeptItem as ShownItem, type Trash } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import type { Database } from '../database/schema.ts'
import { kindByName } from '../entries/kinds.ts'
import { isoTime } from '../entries/times.ts'
import { Failure } from '../failure.ts'
import { storesOf, usualHistory } from '../mounts/history.ts'
import { mountOf } from '../mounts/location.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { MountFacts } from '../mounts/store.ts'
import { readable } from '../storage/exact-names.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import { pastOfKept } from './past.ts'
import type { KeptSight, SeeKept } from './sight.ts'
import { type KeptItem, keptPage, type Mark } from './store.ts'

export interface TrashDeps {
  readonly db: Kysely<Database>
  readonly mounts: Pick<Mounts, 'all' | 'isAway'>
  /** What an actor may see of what is kept, and do with it. */
  sights(scope: Scope): SeeKept
  /** Other programs may have put something into the trash of a mount, or taken something out. */
  lookSoon(mounts: readonly number[]): void
}

interface Wanted {
  readonly query?: string | undefined
  readonly below?: string | undefined
  readonly before?: string | undefined
}

const pageSize = 500
const rowsAtOnce = 1000
const day = 86_400_000

/** What was removed and can come back, the newest first, as far as the caller sees it. */
export async function listTrash(deps: TrashDeps, scope: Scope, wanted: Wanted, signal: Cancellation): Promise<Trash> {
  const mounts = new Map((await deps.mounts.all()).map((mount) => [mount.id, mount]))
  const seen = [...new Set(scope.tree.parts.map(({ base }) => mountOf(base)))]
  deps.lookSoon(seen)
  const isOn = seen.some((id) => storesOf(mounts.get(id)?.history ?? usualHistory).trash)
  const items: ShownItem[] = []
  for await (const { item, sight } of seenTrash(deps, scope, wanted, signal)) {
    if (items.length === pageSize) return { items, next: textOf(items.at(-1)), isOn }
    items.push(shownItem(item, sight, mounts.get(item.mount)))
  }
  return { items, isOn }
}

/** Those that match, in the same order. */
export async function* seenTrash(
  { db, mounts, sights }: Pick<TrashDeps, 'db' | 'mounts' | 'sights'>,
  scope: Scope,
  { query, below, before }: Wanted,
  signal?: Cancellation,
): AsyncGenerator<{ item: KeptItem; sight: KeptSight }> {
  const pause = timeSlices(signal)
  const see = sights(scope)
  const folder = below === undefined ? undefined : parsePath(below)
  const part = query?.trim().toLocaleLowerCase() ?? ''
  for (let mark = before === undefined ? undefined : markIn(before); ; ) {
    const rows = await keptPage(db, 'trash', mark, rowsAtOnce)
    for (const item of rows) {
      const rest = pause()
      if (rest !== undefined) await rest
      if (mounts.isAway(item.mount)) continue
      const sight = await see(item)
      if (sight === undefined || !isMatch(sight.path, folder, part)) continue
      yield { item, sight }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return
    mark = { keptAt: last.keptAt, id: last.id }
  }
}

const isMatch = (path: VirtualPath, folder: VirtualPath | undefined, part: string): boolean =>
  (folder === undefined || (path !== folder && isInside(path, folder))) &&
  (part === '' || nameOf(path).toLocaleLowerCase().includes(part))

export function shownItem(
  item: KeptItem,
  { path, canRead, ...can }: KeptSight,
  mount: MountFacts | undefined,
): ShownItem {
  const name = readable(nameOf(path))
  const endsAt = endOf(item, mount)
  return {
    id: item.id,
    past: pastOfKept(item.id),
    store: item.store,
    path,
    name,
    isDir: item.kind === 'folder',
    type: typeOf(item, name),
    ...(item.size !== undefined && { size: item.size }),
    modified: isoTime(item.modified),
    keptAt: item.keptAt,
    ...(item.user !== undefined && { user: { id: item.user.id ?? 0, name: item.user.name } }),
    door: item.door,
    by: item.by,
    ...(endsAt !== undefined && { endsAt }),
    canRestore: can.canRestore,
    canPurge: can.canPurge,
  }
}

/** As in listings, by the name alone. */
export function typeOf({ kind, size = 0 }: Pick<KeptItem, 'kind' | 'size'>, name: string): string {
  if (kind === 'file') return kindByName(name, size) ?? 'blob'
  if (kind === 'folder') return ''
  return kind === 'link' ? 'invalid_link' : 'blob'
}

/** In milliseconds since 1970. What goes because there is too much of it goes sooner; what is not ours stays. */
function endOf({ store, keptAt, by }: KeptItem, mount: MountFacts | undefined): number | undefined {
  const { trashDays, versionDays } = mount?.history ?? usualHistory
  const days = store === 'trash' ? trashDays : versionDays
  return days === 0 || by === 'outside' ? undefined : keptAt + days * day
}

const textOf = (item: ShownItem | undefined): string => `${item?.keptAt}.${item?.id}`

function markIn(text: string): Mark {
  const [, keptAt = '', id = ''] = /^(\d{1,16})\.(.{1,300})$/.exec(text) ?? []
  if (id === '') throw new Failure('invalid', 'This is no page of the trash')
  return { keptAt: Number(keptAt), id }
}
