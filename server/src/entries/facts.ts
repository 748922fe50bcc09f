export type EntryKind = 'file' | 'folder' | 'link' | 'pipe' | 'socket' | 'device'

/** What an entry tells as plain data. */
export interface EntryFacts {
  /** As it is shown: what is not UTF-8 has replacement marks. */
  readonly name: string
  /** The name to ask for, where it is not UTF-8; see storage/exact-names.ts. */
  readonly exact?: string | undefined
  readonly kind: EntryKind
  /** The name itself is a symlink. Where it was followed, the other facts are those of its target. */
  readonly isLink: boolean
  readonly size: number
  /** Permission, setuid, setgid and sticky bits, without the bits of the kind. */
  readonly mode: number
  readonly seconds: number
  readonly nanoseconds: number
  /** The kind that the mode tells of, where that is not `kind`: a symlink that was asked for itself and shows its target. */
  readonly modeKind?: EntryKind | undefined
}
