import { diskAway } from '../storage/disk/base.ts'
import type { PlaceFacts } from '../storage/disk/server-folders.ts'
import type { ThreadedScopes } from '../storage/threads/scopes.ts'
import { type KnownMount, refusalOf, refusalOfWay } from './checks.ts'
import type { MountKind, Retired } from './served.ts'
import type { MountFacts } from './store.ts'

export interface DiskMountDeps {
  /** Makes the threads of a root. */
  open(facts: MountFacts): ThreadedScopes
  /** The older mounts: of two that cannot be beside each other the older one stays. */
  older(): readonly KnownMount[]
  /** Full names of what the server keeps for itself. */
  own: readonly string[]
  /** Its root is another one by now. */
  moved(): void
  retired: Retired
}

/** A folder of a disk that may be taken away and come back. */
export function diskMount(stored: MountFacts, { open, older, own, moved, retired }: DiskMountDeps): MountKind {
  let scopes = open(stored)
  let place: PlaceFacts | undefined

  /** A symlink of the administrator leads elsewhere by now. */
  function moveTo(facts: MountFacts): void {
    const before = scopes
    scopes = open(facts)
    moved()
    retired.retire(before)
  }

  return {
    get behind() {
      return scopes
    },
    /** What a crash left half written on the disk is not read before its threads know of it. */
    async find(facts, { isAway, isOver }) {
      const { server } = scopes
      const [found, places] = await Promise.all([server.inspectFolder(facts.folder), server.inspectPlaces(own)])
      const around = { mounts: older(), own: places.filter((place) => place !== null) }
      const refusal = refusalOf(found, around) ?? refusalOfWay(found, around)
      if (refusal !== undefined) return refusal
      if (found.real !== facts.folder && facts.source === 'stored') return 'A symlink has taken the place of the folder'
      if (found.real !== scopes.root && !isOver()) moveTo({ ...facts, folder: found.real })
      place = found
      if (await scopes.isVolumeGone()) return diskAway
      if (isAway) await scopes.guardHalfWritten()
      return undefined
    },
    known: ({ id, name, folder }) => ({ id, name, folder, place }),
    longestLook: 3000,
    // As often as all are looked at.
    pause: () => 0,
    away: diskAway,
    silent: 'The disk does not answer',
  }
}
