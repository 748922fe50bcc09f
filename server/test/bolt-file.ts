import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceInBolt } from '../src/takeover/from-bolt.ts'
import { planTakeover } from '../src/takeover/plan.ts'
import { boltOf, type Content } from './bolt.ts'

export const now = 1_800_000_000

/** Databases of File Browser, one after the other at the same path. */
export function boltFileIn(folder: string) {
  const file = join(folder, 'filebrowser.db')

  function put(bytes: Uint8Array): string {
    writeFileSync(file, bytes)
    return file
  }

  /** Reads the whole database, as a takeover does. */
  function read(bytes: Uint8Array) {
    const source = sourceInBolt(put(bytes))
    try {
      const { report } = planTakeover([source], undefined, now)
      return { source, report, users: [...source.users()], shares: [...source.shares()] }
    } finally {
      source.close()
    }
  }

  return { file, put, read }
}

/** A valid database with the given raw records, damaged ones included. */
export const recordsOf = ({
  settings = '{}',
  ...buckets
}: {
  settings?: string
  User?: Content
  Link?: Content
}): Buffer => {
  const noted = (content: Content): Content => ({ ...content, __storm_metadata: { codec: 'json' } })
  const records = Object.entries(buckets).map(([name, content]) => [name, noted(content)])
  return boltOf({ config: noted({ settings }), ...Object.fromEntries(records) })
}
