import { deliver, dispositionOf } from '../http/downloads.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import type { OpenFile } from '../storage/port.ts'
import { versionOf } from '../storage/version.ts'
import { contentTypeOf } from './kinds.ts'

/** A file under a name, to be kept or, `inline`, to be looked at. Closes it, whatever happens. */
export function deliverFile(
  request: Request,
  file: OpenFile,
  { name, inline }: { name: string; inline: boolean },
): Response {
  const { entry, content } = file
  // From now on it is closed, also when the look at its first bytes fails.
  filesOfAnswers.hold(file)
  return deliver(request, {
    content,
    size: entry.size,
    seconds: entry.seconds,
    version: versionOf(entry),
    contentType: inline ? contentTypeOf(name, file.head()) : 'application/octet-stream',
    disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
  })
}
