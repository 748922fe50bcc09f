import type { FoundSnapshots } from '@filestead/contract'
import { type Finding, findingsAbout } from './finding.ts'

const snapshots = findingsAbout('Snapshots')

export interface SnapshotsOfMount {
  /** Undefined for the first one. */
  readonly name: string | undefined
  readonly folder: string
  look(): Promise<FoundSnapshots>
}

/** Older states of the served folders that file systems and other programs keep. Nothing where there are none. */
export async function examineSnapshots(mounts: readonly SnapshotsOfMount[]): Promise<Finding[]> {
  const findings = await Promise.all(
    mounts.map(async ({ name, folder, look }): Promise<Finding[]> => {
      const called = name === undefined ? folder : `${JSON.stringify(name)} (${folder})`
      const { sources, problem } = await look()
      if (problem !== undefined)
        return [
          snapshots.warning(
            `${called} shows none. ${problem}.`,
            'Correct the folder or the pattern in the settings of the root folder; see docs/operating/snapshots.md.',
          ),
        ]
      return sources.map(({ source, folder: holder, count, newest, oldest }) =>
        snapshots.good(`${called} has ${count} of ${source} in ${holder}, from ${day(oldest)} to ${day(newest)}`),
      )
    }),
  )
  return findings.flat()
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
