import type { MountHistory } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { type Config, type Given, knownRoot, parseFlags, readConfig } from '../../config/config.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { addMount, changeMount, type MountingDeps, removeMount } from '../../mounting/mounts.ts'
import { usualHistory } from '../../mounts/history.ts'
import { firstMount } from '../../mounts/location.ts'
import { isLeftOut, type MountFacts, mountsWithLeftOut } from '../../mounts/store.ts'
import { parseAddress } from '../../storage/address.ts'
import { readStored } from '../config/stored.ts'
import { type Opened, withDatabase } from '../database.ts'
import { columns, notice, print, printJson, warn } from '../output.ts'
import { MountChangeFlags, MountFlags } from './flags.ts'

type KeptFlags = Omit<z.infer<typeof MountFlags>, 'links' | 'readOnly'>

export const mountsList = (given: Given): Promise<void> =>
  withDatabase(given, async (opened) => {
    const { root } = await servedBy(opened, given)
    show((await mountsWithLeftOut(opened.db)).map(rooted(root)), given)
  })

export const mountsAdd = (name: string, folder: string, given: Given): Promise<void> =>
  withDatabase(given, async (opened) => {
    const { links = 'inside', readOnly = false, ...kept } = parseFlags(MountFlags, given)
    const isSecond = (await mountsWithLeftOut(opened.db)).length === 1
    await lookAtServer(folder, opened, given, readOnly)
    const mount = await addMount(await depsFor(opened, given), {
      name,
      folder,
      links,
      readOnly,
      history: historyIn(kept),
    })
    show([mount], given)
    notice(
      `No account sees it before there is a grant: filestead grants add everybody ${JSON.stringify(`${mount.name}:/`)} download`,
    )
    if (isSecond)
      notice('With a second root folder, all paths begin with the name of one from now on; links to files stay good.')
  })

export const mountsUpdate = (which: string, given: Given): Promise<void> =>
  withDatabase(given, async (opened) => {
    const { links, readOnly, ...kept } = parseFlags(MountFlags, given)
    const { name, folder } = parseFlags(MountChangeFlags, given)
    const mount = await mountCalled(opened.db, which)
    if (folder !== undefined) await lookAtServer(folder, opened, given, readOnly ?? mount.readOnly)
    const changed = await changeMount(await depsFor(opened, given), mount.id, {
      name: name ?? mount.name,
      folder: folder ?? '',
      links: links ?? mount.links,
      readOnly: readOnly ?? mount.readOnly,
      history: historyIn(kept),
    })
    if (links !== undefined && mount.id === firstMount)
      notice('What symlinks of the first root folder may lead to is chosen by --followExternalSymlinks')
    const { root } = await servedBy(opened, given)
    show([changed].map(rooted(root)), given)
  })

/** The key of a server that is not confirmed is told. One that is away may be added: it comes back by itself. */
async function lookAtServer(folder: string, opened: Opened, given: Given, readOnly: boolean): Promise<void> {
  if (parseAddress(folder).kind === 'disk') return
  const { lookWith } = await import('../../remote-servers.ts')
  const { refusal, hostKey, weaknesses } = await lookWith((await servedBy(opened, given)).config, folder, readOnly)
  if (hostKey !== undefined)
    throw new Failure(
      'invalid',
      `the server has the key ${hostKey}; if that is the one that ssh-keygen -lf shows there, add it to the address: hostKey=${hostKey}`,
    )
  if (refusal !== undefined) warn(`It cannot be used now: ${refusal}`)
  for (const weakness of weaknesses) notice(weakness)
}

/** What is given of it. */
function historyIn({ trash, trashDays, versions, versionDays }: KeptFlags): Partial<MountHistory> {
  return {
    ...(trash !== undefined && { trash }),
    ...(trashDays !== undefined && { trashDays }),
    ...(versions !== undefined && { versions: versions === 'on' }),
    ...(versionDays !== undefined && { versionDays }),
  }
}

const keptText = ({ history = usualHistory }: MountFacts): string => {
  const { trash, trashDays, versions } = history
  const days = trash === 'on' && trashDays > 0 ? `, ${trashDays} days` : ''
  return `${trash === 'ask' ? 'off, ask' : trash}${days} / ${versions ? 'on' : 'off'}`
}

export const mountsRemove = (which: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    // Of uploads that are not finished, hidden files may stay; a server would remove them.
    const dropDrafts = async () => {}
    const { id, name } = await removeMount({ db, dropDrafts }, (await mountCalled(db, which)).id)
    print(`Removed root folder ${id}, ${JSON.stringify(shownName(name))}; its files stay where they are`)
  })

/** By its name, or else by its number. */
export async function mountCalled(db: Kysely<Database>, which: string): Promise<MountFacts> {
  const mounts = await mountsWithLeftOut(db)
  const folded = which.normalize('NFC').toLowerCase()
  const found =
    mounts.find(({ name }) => shownName(name).toLowerCase() === folded) ?? mounts.find(({ id }) => String(id) === which)
  if (found === undefined) throw new Failure('not-found', `There is no root folder ${JSON.stringify(which)}`)
  return found
}

/** Loads what looks at folders only where one is chosen. */
export async function depsFor(opened: Opened, given: Given): Promise<MountingDeps> {
  const { root, config } = await servedBy(opened, given)
  return {
    db: opened.db,
    root,
    dropDrafts: async () => {},
    async checkedFolder(folder, others) {
      const { folderChecksFor } = await import('../../served-folders.ts')
      const checks = await folderChecksFor(config, opened.db)
      // Where the served folder is not known, a server compares it at its start. Commands of this account may serve any folder.
      const known = root === undefined ? others.filter(({ id }) => id !== firstMount) : others
      return checks.requireFolder(folder, { isBounded: false, others: known })
    },
  }
}

/** What the server would be started with, as far as it is known. */
async function servedBy(
  { db, address, configFile }: Opened,
  { root: given, keysFolder }: Given,
): Promise<{ root: string | undefined; config: Config }> {
  const { server } = await readStored(db)
  const root = knownRoot({ root: given }, server, configFile)
  const known = { ...(root !== undefined && { root }), ...(keysFolder !== undefined && { keysFolder }) }
  return { root, config: readConfig({ ...known, database: address }, server, configFile) }
}

const rooted =
  (root: string | undefined) =>
  (mount: MountFacts): MountFacts =>
    mount.id === firstMount ? { ...mount, folder: root ?? '' } : mount

const shownName = (name: string): string => (isLeftOut({ name }) ? name.slice(1) : name)

const sourceOf = (mount: MountFacts): string =>
  isLeftOut(mount) ? 'config, not named now' : { root: '--root', stored: 'here', config: 'config' }[mount.source]

function show(mounts: readonly MountFacts[], { json }: Given): void {
  if (json === 'true')
    printJson(mounts.map((mount) => ({ ...mount, name: shownName(mount.name), isLeftOut: isLeftOut(mount) })))
  else
    print(
      columns(
        ['ID', 'Name', 'Folder', 'Links', 'Read-only', 'Trash / versions', 'Chosen by'],
        mounts.map((mount) => [
          ...[mount.id, shownName(mount.name), mount.folder || '(--root)', mount.links, mount.readOnly],
          keptText(mount),
          sourceOf(mount),
        ]),
      ),
    )
}
