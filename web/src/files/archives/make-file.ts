import { join, nameOf } from '@filestead/contract'
import { askWith } from '../../dialogs/ask.ts'
import { needTexts, t } from '../../i18n/i18n.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { FileAnswer, FileQuestion } from './FileDialog.tsx'
import { runToEnd } from './finish-job.ts'

/** Makes an archive of what is chosen, beside it. */
export async function compress({ folder, chosen }: Workspace): Promise<'done' | undefined> {
  const answer = await askForFile({ purpose: 'compress', folder, entries: chosen })
  if (answer?.purpose !== 'compress') return
  const items = chosen.map(({ path }) => path)
  const to = join(folder, answer.name)
  return runToEnd({ kind: 'compress', items, to, format: answer.kind, onConflict: 'ask' }, sayCreated)
}

/** Writes the checksums of all files in what is chosen into a file beside it. */
export async function writeChecksums({ folder, chosen }: Workspace): Promise<'done' | undefined> {
  const answer = await askForFile({ purpose: 'checksum', folder, entries: chosen })
  if (answer?.purpose !== 'checksum') return
  const items = chosen.map(({ path }) => path)
  const to = join(folder, answer.name)
  return runToEnd({ kind: 'checksum', items, to, algorithm: answer.kind, onConflict: 'ask' }, sayCreated)
}

const askForFile = (question: FileQuestion): Promise<FileAnswer | null> =>
  askWith(async () => {
    const [{ FileDialog }] = await Promise.all([import('./FileDialog.tsx'), needTexts('archives')])
    return FileDialog
  }, question)

const sayCreated = (path: string) => ({ text: t('archives.created', { name: nameOf(path) }) })
