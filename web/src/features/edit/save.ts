import { ApiError } from '../../api/client.ts'
import { saveBytes } from '../../api/resources.ts'
import { ask } from '../../prompts/prompts.ts'
import { ChangedMeanwhilePrompt } from './ChangedMeanwhilePrompt.tsx'
import { encodeText, type TextFile } from './text-file.ts'
import { UnwritablePrompt } from './UnwritablePrompt.tsx'

export interface Saving {
  path: string
  name: string
  text: string
  file: TextFile
  /** The version the text came from. */
  version: string | null
}

export type Saved =
  | { outcome: 'saved'; version: string | null; file: TextFile }
  /** The person wants what is on the disk instead. */
  | { outcome: 'load-theirs' }
  | { outcome: 'cancelled' }

/** Writes the text the way its file is written, and asks where that cannot be done without losing something. */
export async function saveText({ path, name, text, file, version }: Saving): Promise<Saved> {
  let written = file
  let bytes = encodeText(text, file)
  if (bytes === null) {
    if ((await ask(UnwritablePrompt, { encoding: file.encoding })) !== 'utf-8') return { outcome: 'cancelled' }
    written = { ...file, encoding: 'utf-8' }
    bytes = new TextEncoder().encode(text)
  }
  const body = new Blob([bytes])
  try {
    return { outcome: 'saved', version: await saveBytes(path, body, version), file: written }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'changed-meanwhile') throw error
  }
  const choice = await ask(ChangedMeanwhilePrompt, { path, name, mine: text })
  if (choice === 'theirs') return { outcome: 'load-theirs' }
  if (choice === null) return { outcome: 'cancelled' }
  return { outcome: 'saved', version: await saveBytes(path, body, null), file: written }
}
