import { sourceInBolt } from '../takeover/from-bolt.ts'
import { plannedServer, planTakeover } from '../takeover/plan.ts'
import { type Finding, findingsAbout } from './finding.ts'

const about = findingsAbout('File Browser')

export interface PredecessorExamined {
  readonly finding: Finding
  /** The options that would be taken over. */
  readonly server: Readonly<Record<string, unknown>>
}

/** A database of File Browser that the first start will take over: can it be read, and what is in it? */
export function examinePredecessor(file: string): PredecessorExamined {
  try {
    const source = sourceInBolt(file)
    try {
      const plan = planTakeover([source], undefined, Date.now() / 1000)
      const users = Array.from(plan.accounts()).length
      const shares = Array.from(plan.shares()).length
      return {
        server: plannedServer([source]),
        finding: about.note(
          `${file} is a database of File Browser. The first start takes over ${users} users and ${shares} links, and leaves it as it is.`,
        ),
      }
    } finally {
      source.close()
    }
  } catch (error) {
    const finding = about.bad(
      `${file} cannot be taken over: ${(error as Error).message}`,
      'Stop File Browser if it still runs. If the file is damaged, use a copy of it, or start anew with another --database.',
    )
    return { finding, server: {} }
  }
}
