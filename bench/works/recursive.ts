import { askText } from '../peer.ts'
import { tree } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

export const recursive = timedWork({
  name: 'recursive',
  title: 'Listing of a tree of 20,000',
  subject: tree,
  tool: { name: 'find -printf', argv: ({ disk }) => ['find', disk, '-printf', '%p %s %T@\\n'] },
  asking: ({ listTree }) => listTree,
  async verify(peer, { served, scale }) {
    const { listTree } = peer.dialect
    const entries: unknown = listTree && JSON.parse(await askText(peer, listTree(served).path))
    const found = Array.isArray(entries) ? entries.length : 0
    if (found !== scale.treeEntries) throw new Error(`${found} of ${scale.treeEntries} entries were listed`)
  },
})
