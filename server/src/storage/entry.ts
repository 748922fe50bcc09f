import type { EntryFacts, EntryKind } from '../entries/facts.ts'

export type { EntryFacts, EntryKind } from '../entries/facts.ts'

/**
 * A class, because `id` and `version` are texts that few callers ask for: a listing of 100,000 entries makes none of
 * them. The compiler refuses a spread of an entry, which would lose both; `with` makes a changed one.
 */
export abstract class Entry implements EntryFacts {
  abstract readonly name: string
  abstract readonly exact: string | undefined
  abstract readonly kind: EntryKind
  abstract readonly isLink: boolean
  abstract readonly size: number
  abstract readonly mode: number
  abstract readonly seconds: number
  abstract readonly nanoseconds: number
  abstract readonly modeKind: EntryKind | undefined
  /**
   * Two entries with the same id are the same thing under two names, whatever it holds by now. Undefined where a storage
   * cannot tell; one with symlinks can tell for folders, or else a circle of symlinks could not be noticed.
   */
  abstract get id(): string | undefined
  /** An ETag with its quotes: another one after every change of the content. */
  abstract get version(): string
  abstract with(changes: Partial<EntryFacts>): Entry
  /** As `isSameEntry`; a storage may know it without making texts. */
  isSameAs(other: Entry): boolean {
    return isSameEntry(this, other)
  }
}

/** What tells whether two entries are the same thing. */
export interface Identity {
  readonly id?: string | undefined
  readonly version: string
}

/** Are both the same thing? Where a storage gives no ids, the same version is the most that can be said. */
export const isSameEntry = (one: Identity, two: Identity): boolean =>
  one.id === undefined || two.id === undefined ? one.version === two.version : one.id === two.id

/** An entry of a storage that is told ids and versions as texts, as object stores are. */
export class PlainEntry extends Entry {
  readonly name: string
  readonly exact: string | undefined
  readonly kind: EntryKind
  readonly isLink: boolean
  readonly size: number
  readonly mode: number
  readonly seconds: number
  readonly nanoseconds: number
  readonly modeKind: EntryKind | undefined
  readonly #identity: Identity

  constructor(facts: EntryFacts, identity: Identity) {
    super()
    this.name = facts.name
    this.exact = facts.exact
    this.kind = facts.kind
    this.isLink = facts.isLink
    this.size = facts.size
    this.mode = facts.mode
    this.seconds = facts.seconds
    this.nanoseconds = facts.nanoseconds
    this.modeKind = facts.modeKind
    this.#identity = identity
  }

  get id(): string | undefined {
    return this.#identity.id
  }

  get version(): string {
    return this.#identity.version
  }

  with(changes: Partial<EntryFacts>): PlainEntry {
    return new PlainEntry({ ...this, ...changes }, this.#identity)
  }
}
