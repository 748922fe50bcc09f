import type { ThreadedDisk } from '../threads/scopes.ts'
import { memoryLedger, memoryMoves } from './ledger.fixture.ts'

/** What threads over a folder need: ledgers in memory, and nothing in the folder that belongs to the product. */
export const threadedDisk = (root: string, parts: Partial<ThreadedDisk> = {}): ThreadedDisk => ({
  settings: {
    root,
    own: { paths: [], families: [], listedBeside: [] },
    spool: '/nonexistent',
    follows: false,
    orphanAge: undefined,
  },
  drafts: memoryLedger(),
  moves: memoryMoves(),
  modes: () => ({ file: 0o640, folder: 0o750 }),
  now: () => Math.floor(Date.now() / 1000),
  isKnownDraft: async () => false,
  sourceFound: async () => undefined,
  recovered() {},
  ...parts,
})
