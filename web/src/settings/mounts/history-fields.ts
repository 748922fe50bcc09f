import type { Mount, MountHistory } from '@filestead/contract'
import { exampleOf } from './snapshot-names.ts'

const numbers = ['trashDays', 'trashShare', 'versionDays', 'versionShare'] as const
type NumberName = (typeof numbers)[number]

/** What the form holds: numbers as they are typed. */
export type HistoryFields = Omit<MountHistory, NumberName> & Record<NumberName, string>

/** Of a new root folder, as the server has it. */
const usual: MountHistory = {
  ...{ trash: 'on', trashDays: 30, trashShare: 20 },
  ...{ versions: true, versionDays: 0, versionShare: 50 },
  ...{ snapshots: 'auto', snapshotFolder: '', snapshotPattern: '', snapshotInside: '', snapshotIsLocal: true },
}

export function historyFieldsOf(mount: Mount | null): HistoryFields {
  const { trashDays, trashShare, versionDays, versionShare, ...others } = mount?.history ?? usual
  return {
    ...others,
    ...{ trashDays: String(trashDays), trashShare: String(trashShare) },
    ...{ versionDays: String(versionDays), versionShare: String(versionShare) },
  }
}

/** What is sent: the parts that are others than before. What cannot be seen, such as the days without a trash, stays as it was. */
export function historyRequestOf(fields: HistoryFields, mount: Mount | null): Partial<MountHistory> {
  const before = mount === null ? usual : (mount.history ?? usual)
  const wanted: MountHistory = {
    ...fields,
    trashDays: numberIn('trashDays', fields) ?? before.trashDays,
    trashShare: numberIn('trashShare', fields) ?? before.trashShare,
    versionDays: numberIn('versionDays', fields) ?? before.versionDays,
    versionShare: numberIn('versionShare', fields) ?? before.versionShare,
    snapshotFolder: fields.snapshotFolder.trim(),
    snapshotInside: fields.snapshotInside.trim(),
  }
  const names = Object.keys(wanted) as (keyof MountHistory)[]
  return Object.fromEntries(names.flatMap((name) => (wanted[name] === before[name] ? [] : [[name, wanted[name]]])))
}

export type HistoryProblems = Partial<Record<NumberName, 'badDays' | 'badShare'>> & {
  snapshotFolder?: 'emptySnapshotFolder'
  snapshotPattern?: 'emptyPattern' | 'badPattern'
}

const mostDays = 3650

/** What the server would refuse, or could not use, of what is in view. Shares and snapshots are those of a disk. */
export function checkHistory(fields: HistoryFields, isOnDisk = true): HistoryProblems {
  const shown: NumberName[] = [
    ...(fields.trash === 'on' ? (['trashDays', 'trashShare'] as const) : []),
    ...(fields.versions ? (['versionDays', 'versionShare'] as const) : []),
  ]
  const wrong = shown.filter((name) => (isOnDisk || isDays(name)) && numberIn(name, fields) === null)
  const isOwn = isOnDisk && fields.snapshots === 'own'
  const pattern = fields.snapshotPattern.trim()
  return {
    ...Object.fromEntries(wrong.map((name) => [name, isDays(name) ? 'badDays' : 'badShare'])),
    ...(isOwn && fields.snapshotFolder.trim() === '' && { snapshotFolder: 'emptySnapshotFolder' }),
    ...(isOwn && pattern === '' && { snapshotPattern: 'emptyPattern' }),
    ...(isOwn && pattern !== '' && exampleOf(pattern, 0) === null && { snapshotPattern: 'badPattern' }),
  }
}

const isDays = (name: NumberName): boolean => name.endsWith('Days')

/** Null where it is no number of the range. */
function numberIn(name: NumberName, fields: HistoryFields): number | null {
  const text = fields[name].trim()
  const value = Number(text)
  const [least, most] = isDays(name) ? [0, mostDays] : [1, 100]
  return /^\d+$/.test(text) && value >= least && value <= most ? value : null
}
