import { mixedFiles, texts } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

/** Many small files and a large one, as folders are. */
export const zip = timedWork({
  name: 'zip',
  title: 'Zip of 5,000 files and 250 MB',
  subject: mixedFiles,
  tool: { name: 'tar -c', argv: ({ disk }) => ['tar', '-cf', '-', '-C', disk, '.'] },
  asking: ({ zip }) => zip,
})

export const tarGz = timedWork({
  name: 'tar-gz',
  title: 'Tar.gz of 160 MB of text',
  subject: texts,
  tool: { name: 'tar -cz', argv: ({ disk }) => ['tar', '-czf', '-', '-C', disk, '.'] },
  asking: ({ tarGz }) => tarGz,
})
