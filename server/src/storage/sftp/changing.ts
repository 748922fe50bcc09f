import { ignoring, isFailure } from '../../failure.ts'
import { rootPath, type VirtualPath } from '../path.ts'
import { requireVersion } from '../version.ts'
import {
  close,
  lstat,
  makeFolder,
  makeSymlink,
  openFolder,
  readNames,
  removeEmptyFolder,
  rename,
  type Session,
  unlink,
} from './client.ts'
import { newFolderMode } from './drafts.ts'
import { entryAt, isName, kindOf } from './entries.ts'
import { changed, folderThere, isVague, notEmpty, notFound, taken } from './failures.ts'
import type { Place } from './place.ts'

export async function createFolder(place: Place, folder: VirtualPath): Promise<void> {
  if (folder === rootPath) return
  await place.at(folder, async (session) => {
    await place.folders.requireStill(session, folder)
    try {
      await makeFolder(session, folder, newFolderMode)
    } catch (error) {
      const kind = isVague(error) ? kindOf(await lstat(session, folder)) : undefined
      if (kind === 'folder') return
      throw kind === undefined ? error : taken()
    }
  })
}

export const makeLink = (place: Place, path: VirtualPath, target: string): Promise<void> =>
  place.at(path, async (session) => {
    if ((await place.lookAnew(session, path)) !== undefined) throw taken()
    await makeSymlink(session, path, target)
  })

export async function renameFolder(place: Place, from: VirtualPath, to: VirtualPath): Promise<void> {
  await place.alone(to, () =>
    place.at(from, async (session) => {
      const [moved, present] = await Promise.all([place.lookAnew(session, from), place.lookAnew(session, to)])
      if (kindOf(moved) !== 'folder') throw notFound()
      if (present !== undefined) throw kindOf(present) === 'folder' ? folderThere() : taken()
      place.folders.forget()
      await rename(session, from, to)
      place.folders.forget()
    }),
  )
}

export async function removeFile(place: Place, path: VirtualPath, version: string | undefined): Promise<void> {
  const removing = place.at(path, async (session) => {
    const present = await place.lookAnew(session, path)
    if (present === undefined) return
    if (kindOf(present) === 'folder') throw version === undefined ? folderThere() : changed()
    if (version !== undefined) requireVersion([version], entryAt(path, present))
    await unlink(session, path)
  })
  await removing.catch(ignoring('not-found'))
}

export async function removeFolder(place: Place, folder: VirtualPath): Promise<void> {
  place.folders.forget()
  try {
    await place.at(folder, async (session) => {
      try {
        await removeEmptyFolder(session, folder)
      } catch (error) {
        if (isVague(error) && (await hasEntries(session, folder))) throw notEmpty()
        throw error
      }
    })
  } catch (error) {
    if (!isFailure(error, 'not-found')) throw error
  } finally {
    place.folders.forget()
  }
}

async function hasEntries(session: Session, folder: VirtualPath): Promise<boolean> {
  if (kindOf(await lstat(session, folder)) !== 'folder') return false
  const handle = await openFolder(session, folder)
  try {
    for (let names = await readNames(handle); names !== undefined; names = await readNames(handle))
      if (names.some(isName)) return true
    return false
  } finally {
    close(handle)
  }
}
