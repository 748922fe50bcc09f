/** Work of the server that goes on after its request, its session and a restart. */
export const jobKinds = [
  'copy',
  'move',
  'delete',
  'compress',
  'extract',
  'checksum',
  'restore',
  'purge',
  'undo',
] as const
export type JobKind = (typeof jobKinds)[number]

/**
 * `asking`: nothing else is left to do than what waits for an answer about names that are taken. `failed`: some of it could
 * not be done, and can be tried again. What is cancelled leaves what is whole.
 */
export const jobStates = ['queued', 'running', 'paused', 'asking', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

export const isOver = (state: JobState): boolean => state === 'done' || state === 'failed' || state === 'cancelled'

/**
 * What happens to a name that is taken. `newer` replaces what is older than what comes. A file that is there already with
 * the same size, time and contents is never written again.
 */
export const conflictChoices = ['skip', 'replace', 'keep-both', 'newer'] as const
export type ConflictChoice = (typeof conflictChoices)[number]

/**
 * What an amount of work costs, in bytes. A file takes as long as so many of them, however small it is: by bytes alone,
 * thousands of small files beside a large one would count for nothing.
 */
export const costOf = ({ files, bytes }: { files: number; bytes: number }): number => files * 64 * 1024 + bytes

/** Of one request. */
export const mostJobItems = 10_000

/** What archives are written on the server. */
export const packFormats = ['zip', 'tar.gz', 'tar.zst'] as const
export type PackFormat = (typeof packFormats)[number]

/** `retry` does again what has failed. */
export const jobActions = ['pause', 'resume', 'cancel', 'retry'] as const
export type JobAction = (typeof jobActions)[number]

/** Which folders shall be told about: `?folder=/a&folder=/b`. */
export const mostOpenFolders = 50

/** What else is no longer as it was: to be asked for again. */
export const noticeTopics = ['shares', 'access', 'favourites', 'settings', 'history'] as const
export type NoticeTopic = (typeof noticeTopics)[number]
