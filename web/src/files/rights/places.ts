import { isInside, type Mount, segmentsOf } from '@filestead/contract'

/** A folder, named the same for all accounts: the mount, and the path in it. */
export interface Place {
  mount: number
  folder: string
}

/** A path in its plain form; scopes are stored as they were typed. */
export const plainFolder = (text: string): string =>
  `/${text
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/')}`

/** Where something lies that the administrator sees at a path; null at the top, where mounts are shown. */
export function placeOf(path: string, mounts: readonly Mount[]): Place | null {
  const part = partsOf(mounts)
    .filter((each) => isInside(path, each.path))
    .sort((a, b) => b.path.length - a.path.length)[0]
  if (part === undefined) return null
  return { mount: part.mount, folder: joined(part.folder, below(path, part.path)) }
}

/** Where the administrator finds it; null for what the administrator does not see. */
export function pathOf({ mount, folder }: Place, mounts: readonly Mount[]): string | null {
  const part = partsOf(mounts)
    .filter((each) => each.mount === mount && isInside(folder, each.folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0]
  return part === undefined ? null : joined(part.path, below(folder, part.folder))
}

/** As it is called where several mounts are served: the name of the mount is the first part. */
export function nameOfPlace({ mount, folder }: Place, mounts: readonly Mount[]): string {
  const roots = rootsOf(mounts)
  if (roots.length < 2) return folder
  const name = roots.find(({ id }) => id === mount)?.name ?? String(mount)
  return joined(`/${name}`, folder)
}

/** Each mount once: the home of the administrator is a part of the first one. */
export function rootsOf(mounts: readonly Mount[]): Mount[] {
  const byId = new Map<number, Mount>()
  for (const mount of mounts) if (!byId.has(mount.id) || !mount.isHome) byId.set(mount.id, mount)
  return [...byId.values()]
}

export const isSamePlace = (one: Place, other: Place): boolean =>
  one.mount === other.mount && one.folder === other.folder

export const depthOf = (folder: string): number => segmentsOf(folder).length

interface Part extends Place {
  path: string
}

const partsOf = (mounts: readonly Mount[]): Part[] =>
  mounts.flatMap(({ id, path, base = '/' }) =>
    path === undefined ? [] : [{ path: plainFolder(path), mount: id, folder: plainFolder(base) }],
  )

/** What follows the folder in the path, from its slash on. */
const below = (path: string, folder: string): string => (folder === '/' ? path : path.slice(folder.length))

const joined = (folder: string, rest: string): string =>
  rest === '' || rest === '/' ? folder : folder === '/' ? rest : folder + rest
