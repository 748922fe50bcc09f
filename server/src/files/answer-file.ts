import { deliver, dispositionOf } from '../http/downloads.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import type { RequestContext } from '../http/request.ts'
import type { OpenFile } from '../storage/port.ts'
import { contentTypeOf } from './kinds.ts'

/** A file under a name, to be saved or, `inline`, to be shown. Closes it, whatever happens. */
export function deliverFile(
  context: RequestContext,
  file: OpenFile,
  { name, inline }: { name: string; inline: boolean },
): Response {
  const { entry, content } = file
  // From now on it is closed, also when the look at its first bytes fails.
  filesOfAnswers.hold(file)
  return deliver(context, {
    content,
    size: entry.size,
    seconds: entry.seconds,
    version: entry.version,
    contentType: inline ? typeOf(file, name) : 'application/octet-stream',
    disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
  })
}

function typeOf(file: OpenFile, name: string): string {
  try {
    return contentTypeOf(name, file.head())
  } catch (error) {
    file.close()
    throw error
  }
}
