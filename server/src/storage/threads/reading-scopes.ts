import type { OwnPaths } from '../disk/own-files.ts'
import type { Mounts } from '../linux/mounts.ts'
import { type ThreadedScopes, threadedScopes } from './scopes.ts'

/** Threads that only read below a folder: no drafts, no rows, and no more than a few of them. Symlinks stay inside. */
export function readingScopes({
  mounts,
  ...settings
}: {
  /** The full name of the folder, without symlinks. */
  root: string
  own: OwnPaths
  spool: string
  mounts: Mounts
}): ThreadedScopes {
  const refuse = async (): Promise<never> => {
    throw new Error('What is only read is not changed')
  }
  const noRows = { begin: refuse, end: refuse, leftBehind: async () => [] }
  return threadedScopes({
    settings: { ...settings, follows: false, isFurtherMount: true, orphanAge: undefined },
    drafts: { ...noRows, overwriting: refuse },
    moves: { ...noRows, arrived: refuse },
    modes: () => ({ file: 0o600, folder: 0o700 }),
    now: () => Math.floor(Date.now() / 1000),
    isKnownDraft: async () => true,
    sourceFound: async () => undefined,
    recovered() {},
    pool: { mounts, leastReaders: 1, mostThreads: 8 },
  })
}
