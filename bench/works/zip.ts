import { basename, dirname } from 'node:path'
import { bigFile } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

export const zip = timedWork({
  name: 'zip',
  subject: bigFile,
  tool: { name: 'cat', limit: 2, argv: ({ disk }) => ['cat', disk] },
  request: ({ served }) => ({
    method: 'GET',
    path: `/api/raw${dirname(served)}?algo=zip&files=${encodeURIComponent(basename(served))}`,
  }),
})
