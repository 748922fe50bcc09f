import { exchange } from '../exchange.ts'
import { startNginx } from '../nginx.ts'
import { bigFile } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

export const download = timedWork({
  name: 'download',
  subject: bigFile,
  tool: { name: 'cat', argv: ({ disk }) => ['cat', disk] },
  request: ({ served, scale }) => ({ method: 'GET', path: `/api/raw${served}`, bodyBytes: scale.fileBytes }),
  async moreReferences(bench, { served, scale }) {
    const nginx = await startNginx(bench)
    if (nginx === null) return []
    const sample = () => exchange(nginx, { method: 'GET', path: served, bodyBytes: scale.fileBytes })
    return [{ kind: 'shared', name: 'nginx', limit: 1.2, sample }]
  },
})
