import { type RawBuilder, sql } from 'kysely'
import { type Location, textsBelow } from './location.ts'

// Conditions and values of queries. Columns are named with their tables, as in 'grant.location'.

/** Does the location of a row lie at the folder, or in it? The range alone has the root of a mount. */
export function isAtOrBelow(column: string, folder: Location): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} = ${folder} or ${isBelow(column, folder)})`
}

export function isBelow(column: string, folder: Location): RawBuilder<boolean> {
  const [place, [from, before]] = [sql.ref(column), textsBelow(folder)]
  return sql<boolean>`(${place} >= ${from} and ${place} < ${before})`
}

/**
 * The location of a row at or below `from` when that has become `to`. Lengths are those of the database, which counts other
 * characters than JavaScript does.
 */
export function locationAlong(column: string, from: Location, to: Location): RawBuilder<string> {
  const place = sql.ref(column)
  return sql<string>`case when ${place} = ${from} then ${to}
    else ${startOf(to)} || substr(${place}, length(${startOf(from)}) + 1) end`
}

const startOf = (folder: Location): string => textsBelow(folder)[0].slice(0, -1)
