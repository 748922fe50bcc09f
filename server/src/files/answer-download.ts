import { hasRight, Yes } from '@filestead/contract'
import { z } from 'zod'
import type { Limits } from '../access/limits.ts'
import { notAllowed } from '../access/lookup.ts'
import type { UserContext, VisitorContext } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { answerArchive, chosenByForm } from '../archives/answer.ts'
import { archiveOf } from '../archives/archive.ts'
import { parseFormat } from '../archives/formats.ts'
import { parseSelection, type Selection } from '../archives/selection.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import type { Form } from '../http/body.ts'
import { formBody } from '../http/input.ts'
import type { VirtualPath } from '../storage/path.ts'
import { deliverFile } from './answer-file.ts'

export const DownloadQuery = z.object({
  inline: Yes('to be shown instead of saved'),
  algo: z.string().optional().describe('zip, tar, targz, tarbz2, tarxz, tarlz4, tarsz, tarbr or tarzst'),
  files: z.string().optional().describe('names below the path, separated by commas, each percent-encoded once more'),
})
type DownloadQuery = z.output<typeof DownloadQuery>

/** For names that are too many for an address. */
export const downloadForm = formBody({
  auth: 'The token, of a page that cannot send the header `X-Auth`. It has to stand within the first 8 KiB.',
  files: 'A name below the path; once for each name, at most 100,000 times.',
  algo: 'As in the address of a download.',
})

type Context<Query, Body> = UserContext<Query, Body> | VisitorContext<Query, Body>

/** What to download: it has been found out that the sender may. */
export interface Download {
  scope: Scope
  path: VirtualPath
  /** The name of a file; its own, unless a link gives it another. */
  name?: string | undefined
  /** The name of an archive of the whole scope. */
  rootName: string
}

/** A file as it is, or a folder as an archive. */
export async function answerDownload(
  context: Context<DownloadQuery, unknown>,
  download: Download,
  limits: Limits,
): Promise<Response> {
  const { scope, path } = download
  const { inline, algo, files } = context.query
  const { entry, file } = await scope.find(path, { lists: false, right: 'download' })
  if (entry.kind === 'folder') {
    const selection = await parseSelection(path, files, context.cancellation)
    return answerPacked(context, download, selection, algo, limits)
  }
  if (entry.kind === 'link') throw new Failure('not-found', 'The link leads nowhere')
  if (file === undefined) throw new Failure('invalid', 'this is not a regular file')
  return deliverFile(context, file, { name: download.name ?? entry.name, inline })
}

/** What a form names in a folder, as an archive. */
export async function answerChosen(
  context: Context<unknown, Form>,
  download: Download,
  limits: Limits,
): Promise<Response> {
  const { selection, algo } = await chosenByForm(context, download.scope, download.path)
  return answerPacked(context, download, selection, algo, limits)
}

async function answerPacked(
  context: Context<unknown, unknown>,
  { scope, rootName }: Download,
  selection: Selection,
  algo: string | undefined,
  limits: Limits,
): Promise<Response> {
  const format = parseFormat(algo)
  const pause = timeSlices(context.cancellation)
  for (const path of selection.paths) {
    // What is in a folder and may not be downloaded is left out; what was asked for by name is refused.
    if (!hasRight(scope.rightsAt(path), 'download')) throw notAllowed()
    const rest = pause()
    if (rest !== undefined) await rest
  }
  return answerArchive(context, limits, (options) => archiveOf(scope, selection, { format, rootName, ...options }))
}
