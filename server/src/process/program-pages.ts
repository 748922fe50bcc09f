import { readFileSync } from 'node:fs'

/** A range of addresses. */
interface Pages {
  readonly start: number
  readonly length: number
}

/**
 * Where the program's own code and constants lie in memory, as a table in the format of /proc/self/maps tells. Only what is
 * the same in the file: what the loader or the runtime has written to, and protected after that, is not mapped as code
 * and does not begin with the file.
 */
export function programPagesIn(table: string, program: string): Pages[] {
  const pages: Pages[] = []
  for (const line of table.split('\n')) {
    const [, from = '', to = ''] = unwritten.exec(line) ?? []
    if (from === '' || !line.endsWith(` ${program}`)) continue
    const start = Number.parseInt(from, 16)
    pages.push({ start, length: Number.parseInt(to, 16) - start })
  }
  return pages
}

/** Private, and either code or the read-only beginning of the file. */
const unwritten = /^([\da-f]+)-([\da-f]+) r(?:-xp|--p 0+ )/

/** Constant of mman.h. */
const MADV_DONTNEED = 4

/**
 * Gives up the pages of the program that are mapped. They stay in the cache of the system, and those that are used come
 * back with their next use; the others, such as those of the compiler that a start runs through, no longer count as
 * memory of this process: 25 MB after a start.
 */
export function releaseProgramPages(madvise: (start: number, length: number, advice: number) => number): void {
  for (const { start, length } of programPagesIn(readFileSync('/proc/self/maps', 'utf8'), process.execPath))
    madvise(start, length, MADV_DONTNEED)
}
