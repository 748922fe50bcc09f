import { measureLoad } from '../load.ts'
import type { Peer } from '../peer.ts'
import { folderOf } from '../subjects.ts'
import type { Work } from '../work.ts'

/** What knowing the asker and reading a folder cost on top of the barest answer the same server can give. */
export const smallFolder: Work = {
  name: 'small-folder',
  unit: 'ms',
  subject: folderOf(() => 20),
  async references(bench, { scale }) {
    const sample = (peer: Peer) => measureLoad(peer, '/health', scale.loadSeconds, bench.notes)
    return [{ kind: 'own', name: 'own /health', limit: 6, sample }]
  },
  sample: (peer, { served, scale }, { notes }) =>
    measureLoad(peer, `/api/resources${served}/`, scale.loadSeconds, notes),
}
