import type { Grant, Mount, Subject } from '@filestead/contract'
import { nameOfPlace, type Place, rootsOf } from '../../files/rights/places.ts'
import { nameOfSubject } from '../../files/rights/subjects.ts'
import { bySubject } from '../../files/rights/who.ts'
import { compareNames } from '../../i18n/format.ts'

/** A folder with the grants for it, by subject. */
export interface FolderRow {
  key: string
  place: Place
  /** With the name of its root folder, where there are several. */
  name: string
  grants: ReadonlyMap<Subject, Grant>
}

export type Column = Pick<Grant, 'subject' | 'name'>

export interface AccessTable {
  columns: Column[]
  /** By root folder, then by path. */
  rows: FolderRow[]
}

export interface AccessFilter {
  /** Part of the name of a folder, a person or a group. */
  text: string
  subject: Subject | null
  mount: number | null
}

/** Folders that have grants, and those whom the grants are for. */
export function accessTable(
  grants: readonly Grant[],
  mounts: readonly Mount[],
  { text, subject, mount }: AccessFilter,
): AccessTable {
  const wanted = text.trim().toLocaleLowerCase()
  const columns = new Map<Subject, Column>()
  const rows = new Map<string, FolderRow & { grants: Map<Subject, Grant> }>()
  for (const grant of grants) {
    if ((subject !== null && grant.subject !== subject) || (mount !== null && grant.mount !== mount)) continue
    const key = `${grant.mount}:${grant.folder}`
    const name = rows.get(key)?.name ?? nameOfPlace(grant, mounts)
    const isWanted = [name, nameOfSubject(grant)].some((each) => each.toLocaleLowerCase().includes(wanted))
    if (!isWanted) continue
    const place = { mount: grant.mount, folder: grant.folder }
    const row = rows.get(key) ?? { key, place, name, grants: new Map() }
    row.grants.set(grant.subject, grant)
    rows.set(key, row)
    columns.set(grant.subject, grant)
  }
  const order = new Map(rootsOf(mounts).map(({ id }, index) => [id, index]))
  const placeOfMount = ({ place }: FolderRow) => order.get(place.mount) ?? order.size
  return {
    columns: [...columns.values()].sort(bySubject),
    rows: [...rows.values()].sort(
      (a, b) => placeOfMount(a) - placeOfMount(b) || compareNames(a.place.folder, b.place.folder),
    ),
  }
}
