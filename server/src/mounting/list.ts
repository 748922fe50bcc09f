import type { Mount } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { storesOf, usualHistory } from '../mounts/history.ts'
import { mountOf, pathIn } from '../mounts/location.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { MountFacts } from '../mounts/store.ts'
import { rootPath } from '../storage/path.ts'

export interface ListDeps {
  /** By mounts, how many subjects have a grant that allows something. */
  subjects(): Promise<ReadonlyMap<number, number>>
  mounts: Pick<Mounts, 'all' | 'isAway' | 'kindOf' | 'weaknessesOf' | 'problemOf'>
}

/** The parts of what the caller sees; administrators get all mounts, with what only they may know. */
export async function listMounts(
  { subjects: countSubjects, mounts: registry }: ListDeps,
  { tree, actor }: Scope,
): Promise<Mount[]> {
  const mounts = await registry.all()
  const isAdmin = actor.user.perm.admin
  const subjects = isAdmin ? await countSubjects() : undefined
  const factsOf = (mount: MountFacts): Omit<Mount, 'isHome'> => ({
    id: mount.id,
    name: mount.name,
    isAway: registry.isAway(mount.id),
    readOnly: mount.readOnly,
    ...storageIn(registry, mount),
    ...keptIn(mount),
  })
  const forAdministrators = (mount: MountFacts) =>
    subjects === undefined ? {} : { ...ofAdministrators(registry, mount), subjects: subjects.get(mount.id) ?? 0 }
  const parts = tree.parts.flatMap((part) => {
    const mount = mounts.find(({ id }) => id === mountOf(part.base))
    return mount === undefined ? [] : [{ mount, part }]
  })
  const shown = parts.map(({ mount, part }): Mount => {
    const base = pathIn(part.base)
    return {
      ...factsOf(mount),
      // Where parts have names, a home that is a folder of a mount is beside that mount.
      ...(tree.isNamed && base !== rootPath ? { name: part.name } : forAdministrators(mount)),
      path: tree.pathIn(part, rootPath),
      isHome: part.isHome,
      ...(isAdmin && { base }),
    }
  })
  if (!isAdmin) return shown
  // In a named tree the home of an administrator may be a part of a mount that is no part itself.
  const isShown = ({ id }: MountFacts) =>
    parts.some(({ mount, part }) => mount.id === id && (!tree.isNamed || pathIn(part.base) === rootPath))
  return [
    ...shown,
    ...mounts
      .filter((mount) => !isShown(mount))
      .map((mount): Mount => ({ ...factsOf(mount), isHome: false, ...forAdministrators(mount) })),
  ]
}

/** Where its files are, unless that is a disk. */
export function storageIn(mounts: Pick<Mounts, 'kindOf'>, { id }: MountFacts): Pick<Mount, 'storage'> {
  const storage = mounts.kindOf(id)
  return storage === 'disk' ? {} : { storage }
}

export function keptIn({ history = usualHistory }: MountFacts): Pick<Mount, 'hasTrash' | 'hasVersions'> {
  const { trash, versions } = storesOf(history)
  return { hasTrash: trash, hasVersions: versions }
}

export function ofAdministrators(
  mounts: ListDeps['mounts'],
  { id, folder, links, source, history = usualHistory }: MountFacts,
): Pick<Mount, 'folder' | 'links' | 'isFixed' | 'history' | 'weaknesses' | 'problem'> {
  const [weaknesses, problem] = [mounts.weaknessesOf(id), mounts.problemOf(id)]
  return {
    folder,
    links,
    isFixed: source === 'config',
    history,
    ...(weaknesses.length > 0 && { weaknesses: [...weaknesses] }),
    ...(problem !== undefined && { problem }),
  }
}
