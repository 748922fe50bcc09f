import { deliver, dispositionOf } from '../http/downloads.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import type { RequestContext } from '../http/request.ts'
import type { OpenFile } from '../storage/port.ts'
import { versionOf } from '../storage/version.ts'
import { contentTypeOf } from './kinds.ts'

/** A file under a name, to be saved or, `inline`, to be shown. Closes it, whatever happens. */
export async function deliverFile(
  context: RequestContext,
  file: OpenFile,
  { name, inline }: { name: string; inline: boolean },
): Promise<Response> {
  const { entry, content, bytes } = file
  // From now on it is closed, also when the look at its first bytes fails.
  if (bytes === undefined) filesOfAnswers.hold(file)
  return deliver(context, {
    content: bytes ?? content,
    size: entry.size,
    seconds: entry.seconds,
    version: versionOf(entry),
    contentType: inline ? await typeOf(file, name) : 'application/octet-stream',
    disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
  })
}

async function typeOf(file: OpenFile, name: string): Promise<string> {
  try {
    return contentTypeOf(name, await file.head())
  } catch (error) {
    file.close()
    throw error
  }
}
