import { encodePath, type FolderAt, type Moment, type Timeline } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { getJson } from '../client.ts'

/** A state that a folder had, as its listing tells each entry of it. */
export type EntryAt = FolderAt['entries'][number]
export type { FolderAt, Moment, Timeline }

/** All states of a file or folder that are known, the newest first. */
export const timelineQuery = (path: string) =>
  queryOptions({
    queryKey: ['timeline', path],
    queryFn: ({ signal }) => getJson<Timeline>(`timeline${encodePath(path)}`, { signal }),
  })

/** A folder as it was at a time, in milliseconds since 1970. */
export const folderAtQuery = (path: string, at: number) =>
  queryOptions({
    queryKey: ['folder-at', path, at],
    queryFn: ({ signal }) => getJson<FolderAt>(`timeline-folder${encodePath(path)}?at=${at}`, { signal }),
    // The past of a time stays as it is, but for what is restored or ended, which a notice tells.
    staleTime: 60_000,
  })
