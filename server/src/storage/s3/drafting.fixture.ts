import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parsePath } from '../path.ts'
import type { DraftRecord, DraftRecords } from '../remote/files.ts'
import { piecesOf } from '../testing/subject.fixture.ts'
import type { S3Place } from './client.ts'
import { openS3 } from './files.ts'
import type { S3Keys } from './signing.ts'

export interface Drafting {
  readonly place: S3Place
  readonly keys: S3Keys
  /** Where the records are. */
  readonly file: string
  readonly length: number
}

export const draftedText = Array.from({ length: 420 }, (_, line) => String(line).padStart(9, '.')).join('\n')

/** Records that outlive a process. */
export function recordsInFile(file: string): DraftRecords {
  const read = (): Record<string, DraftRecord> => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})
  const change = (work: (rows: Record<string, DraftRecord>) => void) => {
    const rows = read()
    work(rows)
    writeFileSync(`${file}.new`, JSON.stringify(rows))
    renameSync(`${file}.new`, file)
  }
  return {
    find: async (path, id) => read()[`${id} ${path}`]?.state,
    async save(path, id, state) {
      change((rows) => {
        rows[`${id} ${path}`] = { path, id, state, savedAt: Math.floor(Date.now() / 1000) }
      })
    },
    async forget(path, id) {
      change((rows) => delete rows[`${id} ${path}`])
    },
    lock: async () => () => {},
    all: async () => Object.values(read()),
  }
}

export const openDrafting = ({ place, keys, file }: Drafting) =>
  openS3({
    ...{ place, keys: async () => keys, records: recordsInFile(file), pause: 1 },
    sizes: { part: 1000, copy: 100_000, copyPart: 1000 },
  })

/** Goes on where the draft is, in pieces, to the end. */
export async function draftToTheEnd(given: Drafting): Promise<void> {
  const files = openDrafting(given)
  const path = parsePath('/a')
  await files.beginDraft(path, 'id', { length: given.length, modified: 5000 })
  const draft = await files.openDraft(path, 'id')
  while (draft.size < draftedText.length) await draft.append(piecesOf(draftedText.slice(draft.size, draft.size + 1700)))
  await draft.commit({ precondition: 'absent', length: draftedText.length, modified: 5000 })
}

if (import.meta.main) await draftToTheEnd(JSON.parse(process.argv[2] ?? '') as Drafting)
