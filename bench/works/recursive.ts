import { askJson } from '../peer.ts'
import { tree } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

export const recursive = timedWork({
  name: 'recursive',
  subject: tree,
  tool: { name: 'find -printf', argv: ({ disk }) => ['find', disk, '-printf', '%p %s %T@\\n'] },
  request: ({ served }) => ({ method: 'GET', path: `/api/resources/recursive${served}/` }),
  async verify(peer, { served, scale }) {
    const entries = await askJson(peer, `/api/resources/recursive${served}/`)
    const found = Array.isArray(entries) ? entries.length : 0
    if (found !== scale.treeEntries) throw new Error(`${found} of ${scale.treeEntries} entries were listed`)
  },
})
