import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskAddress } from '../storage/address.ts'
import { accountName } from '../storage/linux/account.ts'
import { type Finding, findingsAbout } from './finding.ts'
import type { AccessFacts } from './store.ts'

const folders = findingsAbout('Root folders')
const grants = findingsAbout('Grants')
const groups = findingsAbout('Groups')

/** So many folders of grants are looked for. */
const mostLooked = 1000

interface MountOptions {
  readonly root: string
  /** Why a folder cannot be a mount; undefined where it can. */
  refusalOf(folder: string, id: number): Promise<string | undefined>
  /** Asks the server of an address. */
  lookAtServer(folder: string, readOnly: boolean): Promise<LookedAt>
}

interface LookedAt {
  readonly refusal?: string | undefined
  readonly hostKey?: string | undefined
  readonly weaknesses: readonly string[]
}

/** The further root folders, and what is granted in all of them. */
export async function examineMounts(facts: AccessFacts, options: MountOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  const there = new Map<number, string>([[1, options.root]])
  for (const mount of facts.mounts) {
    const finding = await examineMount(mount, options)
    findings.push(finding)
    if (finding.state !== 'warning' && isDiskAddress(mount.folder)) there.set(mount.id, mount.folder)
  }
  return [...findings, ...(await examineGrants(facts, there)), ...examineGroups(facts)]
}

async function examineMount(
  { id, name, folder, readOnly }: AccessFacts['mounts'][number],
  { refusalOf, lookAtServer }: Pick<MountOptions, 'refusalOf' | 'lookAtServer'>,
): Promise<Finding> {
  const called = `${JSON.stringify(name)} (${folder})`
  if (!isDiskAddress(folder)) return examineRemote(called, await lookAtServer(folder, readOnly))
  if (!(await isFolder(folder)))
    return folders.warning(
      `${called} is not there: all in it is unavailable, and the others are served.`,
      'Plug in or mount its disk; it comes back by itself. Or remove it: filestead mounts rm.',
    )
  const refusal = await refusalOf(folder, id)
  if (refusal !== undefined)
    return folders.warning(`${called} is not served: ${refusal}.`, 'Name another folder: filestead mounts update.')
  if (!(await isAllowed(folder, constants.R_OK | constants.X_OK)))
    return folders.warning(
      `Account ${accountName()} may not look into ${called}.`,
      `Give the account the right to: chown -R ${accountName()} ${folder}`,
    )
  if (!readOnly && !(await isAllowed(folder, constants.W_OK | constants.X_OK)))
    return folders.warning(
      `Account ${accountName()} may read ${called} but not change it.`,
      `If that is meant: filestead mounts update ${JSON.stringify(name)} --readOnly. Otherwise: chown ${accountName()} ${folder}`,
    )
  return folders.good(`${called} ${readOnly ? 'can be read' : 'can be read and written'}`)
}

/** A bucket, or a folder of another server. */
function examineRemote(called: string, { refusal, hostKey, weaknesses }: LookedAt): Finding {
  if (hostKey !== undefined)
    return folders.warning(
      `The server of ${called} is not trusted yet: it has the key ${hostKey}.`,
      `Compare it with what ssh-keygen -lf shows there, and add it to the address: hostKey=${hostKey}`,
    )
  if (refusal !== undefined)
    return folders.warning(
      `${called} is not there: ${refusal}.`,
      'Correct the address or its keys, or wait for its server; it comes back by itself.',
    )
  if (weaknesses.length > 0) return folders.note(`${called} can be used. ${weaknesses.join(' ')}`)
  return folders.good(`${called} can be used`)
}

async function examineGrants({ grants: all }: AccessFacts, there: ReadonlyMap<number, string>): Promise<Finding[]> {
  if (all.length === 0) return []
  const missing: string[] = []
  for (const { mount, path } of all.slice(0, mostLooked)) {
    const folder = there.get(mount)
    if (folder !== undefined && !(await isFolder(join(folder, path)))) missing.push(`${folder}${path}`)
  }
  if (missing.length === 0) return [grants.good(`there are ${all.length}`)]
  return [
    grants.note(
      `${missing.length} of ${Math.min(all.length, mostLooked)} are for folders that are not there, for example ${JSON.stringify(missing[0])}.`,
      'That is fine for folders that are yet to come. Otherwise see filestead grants ls, and filestead grants rm.',
    ),
  ]
}

function examineGroups({ emptyGroups }: AccessFacts): Finding[] {
  if (emptyGroups.length === 0) return []
  return [groups.note(`Without members: ${emptyGroups.map((name) => JSON.stringify(name)).join(', ')}.`)]
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

const isAllowed = (folder: string, mode: number): Promise<boolean> =>
  access(folder, mode).then(
    () => true,
    () => false,
  )
