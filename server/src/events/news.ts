import type { NoticeTopic, UploadChanged } from '@filestead/contract'
import type { ChangeKind } from '../changes/change.ts'
import type { JobNews } from '../jobs/record.ts'
import type { Location } from '../mounts/location.ts'

/** Something that happened, as data, before it is decided who may learn of it: JSON, because other processes of the server are told as well. */
export type News = ChangeNews | FolderNews | JobChanged | UploadNews | NoticeNews

/** A change that this server has made. */
export interface ChangeNews {
  readonly topic: 'change'
  readonly kind: ChangeKind
  readonly from?: Location | undefined
  readonly to?: Location | undefined
}

/** What the disk tells of a folder that is watched: names, or that it has to be listed again. */
export interface FolderNews {
  readonly topic: 'folder'
  readonly folder: Location
  readonly names: readonly string[]
  /** Those of the names that were taken away, perhaps to come again. */
  readonly removed: readonly string[]
  readonly isStale: boolean
}

/** A job has changed, or is listed no longer. */
export interface JobChanged extends JobNews {
  readonly topic: 'job'
}

export interface UploadNews extends Pick<UploadChanged, 'offset' | 'length' | 'state'> {
  readonly topic: 'upload'
  readonly owner: number
  readonly location: Location
}

export interface NoticeNews {
  readonly topic: 'notice'
  readonly about: NoticeTopic
  /** The account that it is for, and administrators; undefined for all. */
  readonly user: number | undefined
}

/** News about the same thing, of which the last one tells all. Undefined where each counts. */
export function keyOf(news: News): string | undefined {
  if (news.topic === 'job') return `job ${news.id}`
  if (news.topic === 'upload') return `upload ${news.owner} ${news.location}`
  return news.topic === 'notice' ? `notice ${news.about} ${news.user}` : undefined
}

/** How much of what is remembered they take: as many as they have names. */
export function weightOf(news: News): number {
  if (news.topic === 'folder') return Math.max(1, news.names.length)
  return news.topic === 'job' ? 1 + (news.job?.conflicts.length ?? 0) + (news.job?.failures.length ?? 0) : 1
}
