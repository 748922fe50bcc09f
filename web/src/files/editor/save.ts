import { nameOf, parentOf } from '@filestead/contract'
import { ask } from '../../dialogs/ask.ts'
import { ApiError } from '../../server/client.ts'
import { showNow } from '../../server/operations/operation.ts'
import { rememberChange } from '../../server/operations/undo-stack.ts'
import { cache } from '../../server/queries/cache.ts'
import { createBytes, saveBytes } from '../../server/queries/contents.ts'
import { type Entry, newBatch, resourceKey } from '../../server/queries/resources.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { ChangedMeanwhileDialog } from './ChangedMeanwhileDialog.tsx'
import { GoneDialog } from './GoneDialog.tsx'
import { encodeText, type TextFile } from './text-file.ts'
import { UnwritableDialog } from './UnwritableDialog.tsx'

export interface Saving {
  path: string
  name: string
  text: string
  file: TextFile
  /** The version the text came from. */
  version: string | null
}

export type Saved =
  | { outcome: 'saved'; version: string | null; file: TextFile; size: number }
  /** The version on the disk is wanted instead. */
  | { outcome: 'load-theirs' }
  | { outcome: 'cancelled' }

/** Writes the text the way its file is written, and asks where that cannot be done without losing something. */
export async function saveText({ path, name, text, file, version }: Saving): Promise<Saved> {
  let written = file
  let bytes = encodeText(text, file)
  if (bytes === null) {
    if ((await ask(UnwritableDialog, { encoding: file.encoding })) !== 'utf-8') return { outcome: 'cancelled' }
    written = { ...file, encoding: 'utf-8' }
    bytes = new TextEncoder().encode(text)
  }
  const body = new Blob([bytes])
  const send = async (kind: 'save' | 'create', expected: string | null = null): Promise<Saved> => {
    const batch = newBatch()
    const sending = kind === 'save' ? saveBytes(path, body, expected, batch) : createBytes(path, body, batch)
    const saved = await sending
    rememberChange({ kind, names: [name], batches: [batch], gone: [], put: [] })
    return { outcome: 'saved', version: saved, file: written, size: body.size }
  }
  try {
    return await send('save', version)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'not-found')
      return (await ask(GoneDialog, { name })) === 'save' ? send('create') : { outcome: 'cancelled' }
    if (error.code !== 'changed-meanwhile') throw error
  }
  const choice = await ask(ChangedMeanwhileDialog, { path, name, mine: text })
  if (choice === 'theirs') return { outcome: 'load-theirs' }
  if (choice === null) return { outcome: 'cancelled' }
  return send('save')
}

/**
 * What is known of the file is brought up to date: its size, its version, its row in the listing. The text that was read
 * is removed, so that the editor never opens with an old one.
 */
export function showSaved(path: string, { size, version }: { size: number; version: string | null }): void {
  cache().setQueryData<Entry & { version?: string }>(resourceKey(path), (known) => {
    if (known === undefined) return undefined
    const { content: _, version: __, ...entry } = known
    return { ...entry, size, modified: new Date().toISOString(), ...(version !== null && { version }) }
  })
  // A row that cannot be read now is read with the next listing.
  showNow(parentOf(path), [nameOf(path)], sessionSignal()).catch(() => {})
}
