import { type ArchiveListing, encodePath, type NameEncoding } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { apiUrl, getJson } from '../client.ts'
import { inPast, type PastRef } from './past.ts'

/** An archive as a listing told of it: another version of the file is another question. */
interface Archive {
  path: string
  modified: string
  size: number
}

/** One folder of an archive. `encoding` is null where the server guesses how names are written. */
export const archiveQuery = (
  { path, modified, size }: Archive,
  inside: string,
  encoding: NameEncoding | null,
  past: PastRef | null = null,
) =>
  queryOptions({
    queryKey: ['archive', path, modified, size, inside, encoding, past],
    queryFn: ({ signal }) =>
      getJson<ArchiveListing>(inPast(`archive${encodePath(path)}?${written(inside, encoding)}`, past), { signal }),
    // An archive that is the same file holds the same.
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The address of one file in an archive. `inline` shows it in the browser instead of saving it. */
export const memberUrl = (
  archive: string,
  inside: string,
  {
    encoding = null,
    inline = false,
    past = null,
  }: { encoding?: NameEncoding | null; inline?: boolean; past?: PastRef | null } = {},
): string =>
  apiUrl(inPast(`archive-file${encodePath(archive)}?${written(inside, encoding)}${inline ? '&inline=true' : ''}`, past))

const written = (inside: string, encoding: NameEncoding | null): string =>
  `inside=${encodePath(inside)}${encoding === null ? '' : `&encoding=${encoding}`}`
