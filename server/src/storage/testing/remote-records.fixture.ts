import { Failure } from '../../failure.ts'
import type { VirtualPath } from '../path.ts'
import type { DraftRecord, DraftRecords } from '../remote/files.ts'

export const memoryRemoteRecords = () => {
  const drafts = memoryRecords()
  return { drafts, transfers: memoryRecords(), lockName: async () => () => {}, abandoned: drafts.all }
}

/** Records of a process that never ends; the real ones are a table. */
export function memoryRecords(): DraftRecords & { readonly rows: ReadonlyMap<string, DraftRecord> } {
  const rows = new Map<string, DraftRecord>()
  const locked = new Set<string>()
  const keyOf = (path: VirtualPath, id: string) => `${path}\0${id}`
  return {
    rows,
    find: async (path, id) => rows.get(keyOf(path, id))?.state,
    save: async (path, id, state) =>
      void rows.set(keyOf(path, id), { path, id, state, savedAt: Math.floor(Date.now() / 1000) }),
    forget: async (path, id) => void rows.delete(keyOf(path, id)),
    async lock(path, id) {
      const key = keyOf(path, id)
      if (locked.has(key)) throw new Failure('locked', 'Another request is writing this file')
      locked.add(key)
      return () => void locked.delete(key)
    },
    all: async () => [...rows.values()],
  }
}
