import type { MountFacts } from '../mounts/store.ts'
import type { Storage } from '../storage/port.ts'
import { type Access, type AccessFacts, type AccessReader, accessOf } from './access.ts'
import { homeOf } from './tree.ts'

export const oneMount: readonly MountFacts[] = [
  { id: 1, name: 'Files', folder: '', links: 'inside', readOnly: false, source: 'root' },
]

/** The access of an account to one mount: all of it, unless the facts say something else. */
export const accessTo = (storage: Storage, facts: Partial<AccessFacts> = {}): Access =>
  accessOf(
    { home: homeOf('/'), mounts: oneMount, grants: [], ...facts },
    {
      storageAt: (base) => (base === '/' ? storage : storage.beneath(homeOf(base) as string as never)),
      isAway: () => false,
      transfer: () => Promise.reject(new Error('There is one mount')),
      stage: () => Promise.reject(new Error('There is one mount')),
    },
  )

/** Gives everyone the whole of one mount. */
export const readerOf = (storage: Storage): AccessReader => ({
  ofUser: async () => accessTo(storage),
  ofGuest: async () => accessTo(storage, { home: undefined }),
  hasGuests: async () => false,
})
