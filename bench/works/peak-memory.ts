import { exchange } from '../exchange.ts'
import type { Peer } from '../peer.ts'
import { archiveOf } from '../peers/archive-address.ts'
import { filesteadApi } from '../peers/filestead-api.ts'
import { readPeakMB } from '../resident-memory.ts'
import { bigFile, folderOf } from '../subjects.ts'
import type { Work } from '../work.ts'

const BUDGET_MB = 250
const READERS = 4
const FORMATS = ['zip', 'tar', 'targz', 'tarlz4', 'tarsz', 'tarzst']

/** The most a server has taken since its start: after all other works, and after several of them at once. */
export const peakMemory: Work = {
  name: 'peak-memory',
  title: 'Most memory taken',
  unit: 'MB',
  subject: folderOf(({ manyEntries }) => manyEntries),
  references: async () => [{ kind: 'shared', name: `${BUDGET_MB} MB`, limit: 1, sample: async () => BUDGET_MB }],
  isFor: ({ pid, dialect }) => pid !== undefined && dialect === filesteadApi,
  async sample(peer, { served }, bench) {
    const get = (path: string) => exchange(peer, { method: 'GET', path })
    const file = (await bench.place(bigFile)).served
    const readers = Array.from({ length: READERS }, () => [
      get(`/api/resources${served}`),
      get(`/api/search${served}?query=entry-9`),
    ])
    await Promise.all([...readers.flat(), ...FORMATS.map((algo) => get(archiveOf(file, algo)))])
    return readPeakMB(pidOf(peer))
  },
}

const pidOf = ({ pid = 0 }: Peer): number => pid
