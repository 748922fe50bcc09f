import { Failure } from '../../failure.ts'

/** What an archive may make the server write, hold or compute. The sizes that it declares are not believed. */
export const limits = {
  /** Of one archive. */
  entries: 1_000_000,
  /** In bytes: all names of an archive together, which are held in memory while it is looked at. */
  names: 64 << 20,
  /** In bytes: the table of contents of a zip. */
  directory: 512 << 20,
  /** Folders in a path. */
  depth: 100,
  /** In bytes: a name, and a path. */
  name: 255,
  path: 4096,
  /** In bytes: so much may come out in any case; beyond that, `ratio` times the size of the archive. */
  freely: 10 << 20,
  ratio: 100,
  /** In bytes: written by one extraction. */
  written: 2 ** 40,
  /** In bytes: so much of a compressed tar is unpacked to list it. */
  looking: 16 * 2 ** 30,
} as const

/** Counts what comes out of an archive, and ends the work where that is out of proportion to its size. */
export interface Budget {
  spend(bytes: number): void
}

/** In bytes: so much may come out of an archive of this size. */
export const proportionate = (packedSize: number): number => limits.freely + limits.ratio * packedSize

export function budgetFor(packedSize: number, most: number = limits.written): Budget {
  const enough = proportionate(packedSize)
  let spent = 0
  return {
    spend(bytes) {
      spent += bytes
      if (spent > enough) throw outOfProportion()
      if (spent > most) throw tooMuch()
    },
  }
}

export const outOfProportion = (): Failure =>
  new Failure('too-large', 'The archive unpacks to more than a hundred times its size, and is taken for a trap')

export const tooMuch = (): Failure => new Failure('too-large', 'The archive unpacks to more than is allowed')

export const tooManyEntries = (): Failure =>
  new Failure('too-large', 'The archive has more entries than can be looked at')
