import { constants, existsSync, readdirSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { accountName } from '../storage/linux/account.ts'
import { isFolder, mayBrowse, mayRead } from './access.ts'
import { type Finding, findingsAbout } from './finding.ts'

const folder = findingsAbout('Served folder')
const permissions = findingsAbout('Permissions')

const looked = 1000

export async function examineRoot({ root, readOnly }: { root: string; readOnly: boolean }): Promise<Finding[]> {
  if (!existsSync(root))
    return [
      folder.bad(
        `${root} does not exist, or account ${accountName()} may not see it.`,
        'Make the folder, plug in or mount its disk, or name another one with --root.',
      ),
    ]
  if (!isFolder(root)) return [folder.bad(`${root} is a file.`, 'Name the folder it lies in with --root.')]
  if (!mayBrowse(root)) return [unreadable(root)]
  return [folder.good(root), await examinePermissions(root, readOnly)]
}

/**
 * A root that cannot be read, or cannot be written though --readOnly was not given. The server asks, too, and must not wait
 * for its disk.
 */
export async function examineAccess(root: string, readOnly: boolean): Promise<Finding | undefined> {
  if (!(await isAllowed(root, constants.R_OK | constants.X_OK))) return unreadable(root)
  return readOnly || (await isAllowed(root, constants.W_OK | constants.X_OK))
    ? undefined
    : permissions.warning(
        `Account ${accountName()} may read ${root} but not change it: nobody can upload, rename or delete there.`,
        `If that is meant, start with --readOnly. Otherwise: chown ${accountName()} ${root}, and look whether the disk is mounted read-only.`,
      )
}

const unreadable = (root: string): Finding =>
  folder.bad(
    `Account ${accountName()} may not look into ${root}.`,
    `Give the account the right to: chown -R ${accountName()} ${root}, or start the server with the account that owns it.`,
  )

const isAllowed = (folder: string, mode: number): Promise<boolean> =>
  access(folder, mode).then(
    () => true,
    () => false,
  )

async function examinePermissions(root: string, readOnly: boolean): Promise<Finding> {
  const unwritable = await examineAccess(root, readOnly)
  if (unwritable !== undefined) return unwritable
  const names = readdirSync(root).slice(0, looked)
  const closed = names.filter((name) => !mayReach(join(root, name)))
  if (closed.length > 0)
    return permissions.warning(
      `${closed.length} of ${names.length} entries in ${root} cannot be opened by account ${accountName()}, for example ${JSON.stringify(closed[0])}.`,
      `They will be shown and cannot be opened. To change that: chown -R ${accountName()} ${root}`,
    )
  return permissions.good(readOnly ? 'files can be read' : 'files can be read and written')
}

const mayReach = (path: string): boolean => (isFolder(path) ? mayBrowse(path) : !existsSync(path) || mayRead(path))
