import { archiveTitleOf, join, type NameEncoding, nameOf, parentOf } from '@filestead/contract'
import { askWith } from '../../dialogs/ask.ts'
import { needTexts, t } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { type Entry, entriesNamed } from '../../server/queries/resources.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { runToEnd } from './finish-job.ts'

interface Extraction {
  archive: Entry
  /** Paths in the archive; none for all of it. */
  inside: readonly string[]
  /** How names are read that do not say their encoding; null where the server guesses. */
  encoding: NameEncoding | null
}

/** Into a new folder beside the archive, which has its name: what is there already is not touched. */
export async function extractHere(archive: Entry): Promise<'done' | undefined> {
  await needTexts('archives')
  const to = await freePath(parentOf(archive.path), archiveTitleOf(archive.name))
  return extract({ archive, inside: [], encoding: null }, to)
}

/** Asks where what is in an archive, or a part of it, shall go. */
export async function extractSome({ archive, inside, encoding }: Extraction): Promise<'done' | undefined> {
  const question = { archive, count: inside.length }
  const answer = await askWith(async () => {
    const [{ ExtractDialog }] = await Promise.all([import('./ExtractDialog.tsx'), needTexts('archives')])
    return ExtractDialog
  }, question)
  if (answer === null) return
  const to = answer.isInOwnFolder ? await freePath(answer.folder, archiveTitleOf(archive.name)) : answer.folder
  return extract({ archive, inside, encoding }, to)
}

function extract({ archive, inside, encoding }: Extraction, to: string): Promise<'done' | undefined> {
  const some = { ...(inside.length > 0 && { inside: [...inside] }), ...(encoding !== null && { encoding }) }
  const request = { kind: 'extract', from: archive.path, to, onConflict: 'ask', ...some } as const
  const made = (path: string) => ({
    text: t('archives.extracted', { folder: path === '/' ? t('frame.myFiles') : nameOf(path) }),
    action: { label: t('change.open'), run: () => void navigate(folderAddress(path)) },
  })
  return runToEnd(request, made, (code) => refusalOf(code, archive.name))
}

function refusalOf(code: string, name: string): string | undefined {
  if (code === 'unsupported-type') return t('archives.cannotOpen', { name })
  if (code === 'invalid') return t('archives.damaged', { name })
  return code === 'too-large' ? t('archives.holdsTooMuch', { name }) : undefined
}

/** So many names are tried before the server is left to find that one is taken. */
const mostTried = 100

async function freePath(folder: string, name: string): Promise<string> {
  const names = [name, ...Array.from({ length: mostTried }, (_, index) => `${name}(${index + 1})`)]
  const taken = new Set((await entriesNamed(folder, names, sessionSignal())).map((entry) => entry.name))
  return join(folder, names.find((each) => !taken.has(each)) ?? name)
}
