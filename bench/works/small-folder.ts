import { measureLoad } from '../load.ts'
import type { Peer } from '../peer.ts'
import { folderOf } from '../subjects.ts'
import type { Work } from '../work.ts'

/** The cost of authentication and of reading a folder on top of the smallest answer of the same server. */
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
