import { readResidentMB } from '../resident-memory.ts'
import { folderOf } from '../subjects.ts'
import type { Work } from '../work.ts'

const BUDGET_MB = 80

export const memory: Work = {
  name: 'memory',
  title: 'Memory at rest',
  unit: 'MB',
  subject: folderOf(() => 0),
  references: async () => [{ kind: 'shared', name: `${BUDGET_MB} MB`, limit: 1, sample: async () => BUDGET_MB }],
  isFor: ({ pid }) => pid !== undefined,
  async sample({ pid }) {
    // Some seconds after its start the server gives back what only the start needed.
    await Bun.sleep(4000)
    return readResidentMB(pid ?? 0)
  },
}
