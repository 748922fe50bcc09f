import { isAbsolute, posix } from 'node:path'
import { compareText, isInside, naturalKey, type ServerFolder } from '@filestead/contract'
import { Failure } from '../failure.ts'
import { isDiskAddress } from '../storage/address.ts'
import type { PlaceFacts, ServerFolderFacts, ServerFolders } from '../storage/disk/server-folders.ts'
import { type AddressRules, requireAddress } from './address-checks.ts'

/** A mount as far as it is known: of one whose disk is away, only the name of its folder. */
export interface KnownMount {
  readonly id: number
  readonly name: string
  readonly folder: string
  readonly place?: PlaceFacts | undefined
}

/** What a folder must not be, hold or lie in. */
export interface Neighbours {
  readonly mounts: readonly KnownMount[]
  /** The database, the cache and whatever else the server keeps for itself. */
  readonly own: readonly PlaceFacts[]
}

/** Why a folder cannot be a mount, in a sentence; undefined where it can. */
export function refusalOf(folder: PlaceFacts, { mounts, own }: Neighbours): string | undefined {
  const { real } = folder
  if (real === '/') return 'the top folder of the server cannot be a root folder'
  if (ofSystem.some((top) => isInside(real, top))) return `${real} belongs to the system, and holds no files of people`
  for (const mount of mounts.filter(({ folder }) => isDiskAddress(folder))) {
    const place = mount.place ?? { real: mount.folder, device: -1, inode: -1, onDisk: '' }
    const name = JSON.stringify(mount.name)
    if (isSamePlace(folder, place)) return `the root folder ${name} is this folder already`
    if (liesIn(folder, place)) return `the folder lies in the root folder ${name}`
    if (liesIn(place, folder)) return `the folder holds the root folder ${name}`
  }
  for (const place of own) {
    if (isSamePlace(folder, place) || liesIn(folder, place)) return 'the folder belongs to the server itself'
    if (liesIn(place, folder)) return `the folder holds what the server keeps for itself: ${place.real}`
  }
  return undefined
}

/** A folder that is found anew with every start must not be reached by a symlink that people could replace. */
export function refusalOfWay({ links }: ServerFolderFacts, { mounts }: Neighbours): string | undefined {
  const holder = mounts.find(({ folder, place }) => links.some((link) => isInside(link, place?.real ?? folder)))
  return holder && `the way to the folder leads through a symlink in the root folder ${JSON.stringify(holder.name)}`
}

const ofSystem = ['/proc', '/sys', '/dev']

/** By its inode, or by its name in the file system: a bind mount gives a folder a second full name. */
const isSamePlace = (one: PlaceFacts, two: PlaceFacts): boolean =>
  one.real === two.real ||
  (one.inode === two.inode && one.device === two.device) ||
  (one.onDisk !== '' && one.onDisk === two.onDisk)

const liesIn = (one: PlaceFacts, two: PlaceFacts): boolean =>
  isInside(one.real, two.real) || (one.onDisk !== '' && two.onDisk !== '' && isInside(one.onDisk, two.onDisk))

export interface FolderChecks {
  /**
   * The full name without symlinks of a folder that can be a mount, or an address; a `Failure` says why it cannot be one. With
   * `isBounded` it has to be what the command line allows on the page. `others` are the mounts beside which it shall be; all,
   * if not given. The server of an address is not asked.
   */
  requireFolder(folder: string, options: CheckOptions): Promise<string>
  /** A folder in the picker; '' for the top, whose names are full ones. */
  foldersAt(folder: string): Promise<ServerFolder>
}

export interface CheckOptions {
  isBounded: boolean
  others?: readonly Pick<KnownMount, 'id'>[] | undefined
}

interface CheckDeps {
  server: ServerFolders
  mounts(): Promise<readonly KnownMount[]>
  /** Full names of what the server keeps for itself. */
  own: readonly string[]
  /** The folders that the command line allows. */
  mountable: readonly string[]
  remote: AddressRules
}

export function folderChecks({ server, mounts, own, mountable, remote }: CheckDeps): FolderChecks {
  const neighbours = async (others?: CheckOptions['others']): Promise<Neighbours> => ({
    mounts: (await mounts()).filter(({ id }) => others?.some((other) => other.id === id) ?? true),
    own: (await server.inspectPlaces(own)).filter((place) => place !== null),
  })

  async function requireBounded(folder: string): Promise<void> {
    const tops = (await server.inspectPlaces(mountable)).flatMap((place) => place?.real ?? [])
    if (!tops.some((top) => isInside(folder, top)))
      throw new Failure(
        'invalid',
        `only folders in ${mountable.join(', ') || 'none'} can be chosen here (option --mountable)`,
      )
  }

  /** The real name of the nearest folder above one that cannot be found. */
  async function nearestTo(path: string): Promise<string> {
    const above = posix.dirname(path)
    if (above === path) return path
    const found = await server.inspectFolder(above).catch(() => undefined)
    return found?.real ?? nearestTo(above)
  }

  return {
    async requireFolder(folder, { isBounded, others }) {
      if (!isDiskAddress(folder)) {
        const known = (await mounts()).filter(({ id }) => others?.some((other) => other.id === id) ?? true)
        return requireAddress(folder, known, remote, { isBounded })
      }
      if (!isAbsolute(folder) || folder.includes('\0'))
        throw new Failure('invalid', 'the folder needs its full path, such as /srv/photos')
      const path = posix.normalize(folder)
      const facts = await server.inspectFolder(path).catch(async (error: unknown) => {
        // What is there beyond the bounds, and what is not, is told alike.
        if (isBounded) await requireBounded(await nearestTo(path))
        return asInvalid(error)
      })
      if (isBounded) await requireBounded(facts.real)
      const refusal = refusalOf(facts, await neighbours(others))
      if (refusal !== undefined) throw new Failure('invalid', refusal)
      return facts.real
    },

    async foldersAt(folder) {
      if (folder === '') {
        const there = await server.inspectPlaces(mountable)
        return { folder, names: mountable.filter((_, at) => there[at] !== null) }
      }
      if (!isAbsolute(folder)) throw new Failure('invalid', 'the folder needs its full path')
      const { real, names, isTop } = await server.foldersIn(posix.normalize(folder), mountable)
      const refusal = refusalOf(await server.inspectFolder(real), await neighbours())
      return {
        folder: real,
        parent: isTop ? '' : posix.dirname(real),
        names: names.sort((one, two) => compareText(naturalKey(one), naturalKey(two))),
        ...(refusal !== undefined && { refusal }),
      }
    },
  }
}

/** The page shows every refusal of a folder beside its field. */
function asInvalid(error: unknown): never {
  if (!(error instanceof Failure) || error.code === 'unavailable') throw error
  throw new Failure('invalid', error.message, { cause: error })
}

/** The same for a command, which waits for disks itself. */
export async function checksOfCommands(
  server: ServerFolders,
  mounts: readonly KnownMount[],
  { own, mountable, remote }: Pick<CheckDeps, 'own' | 'mountable' | 'remote'>,
): Promise<FolderChecks> {
  const places = await server.inspectPlaces(mounts.map(({ folder }) => folder))
  const known = mounts.map((mount, at) => ({ ...mount, place: places[at] ?? undefined }))
  return folderChecks({ server, own, mountable, remote, mounts: async () => known })
}
