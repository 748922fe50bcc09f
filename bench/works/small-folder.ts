import { againstHealth, measureLoad, requestsOfLoad } from '../load.ts'
import { folderOf, photoFolder as photos } from '../subjects.ts'
import type { Work } from '../work.ts'

/** The cost of authentication and of reading a folder on top of the smallest answer of the same server. */
export const smallFolder: Work = {
  name: 'small-folder',
  title: 'Listing of 20 entries',
  unit: 'ms',
  subject: folderOf(() => 20),
  references: againstHealth(6),
  sample: (peer, { served, scale }, { notes }) =>
    measureLoad(peer, peer.dialect.list(served).path, scale.loadSeconds, notes),
  requestsIn: requestsOfLoad,
}

/** A folder as a camera fills it, with a film and with a file whose name does not tell its type. */
export const photoFolder: Work = {
  name: 'photo-folder',
  title: 'Listing of 400 photos, a film and a README',
  unit: 'ms',
  subject: photos,
  references: againstHealth(30),
  sample: (peer, { served, scale }, { notes }) =>
    measureLoad(peer, peer.dialect.list(served).path, scale.loadSeconds, notes),
  requestsIn: requestsOfLoad,
}
