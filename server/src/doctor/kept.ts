import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeepStore, MountHistory } from '@filestead/contract'
import { accountName } from '../storage/linux/account.ts'
import { storeNames } from '../storage/store-names.ts'
import { type Finding, findingsAbout, sizeText } from './finding.ts'

const kept = findingsAbout('Trash and versions')

export interface KeepingMount {
  /** Undefined for the first one. */
  readonly name: string | undefined
  readonly folder: string
  readonly readOnly: boolean
  readonly history: MountHistory
  /** In bytes, as far as it is measured. */
  readonly sizes: Readonly<Record<KeepStore, number>>
}

/** What served folders keep of what is removed and replaced, and whether the folders for it can be used. */
export async function examineKept(mounts: readonly KeepingMount[]): Promise<Finding[]> {
  return (await Promise.all(mounts.map(examineMount))).flat()
}

async function examineMount(mount: KeepingMount): Promise<Finding[]> {
  const { name, folder, readOnly, history, sizes } = mount
  const called = name === undefined ? folder : `${JSON.stringify(name)} (${folder})`
  const [trash, versions] = [history.trash === 'on', history.versions]
  const findings: Finding[] = []
  if (history.trash === 'ask')
    findings.push(
      kept.note(
        `${called} keeps nothing of what is deleted: nothing was chosen since the upgrade.`,
        `Turn it on: filestead mounts update ${JSON.stringify(name ?? 'Files')} --trash on --versions on. Or leave it off: --trash off.`,
      ),
    )
  const used = [...(trash ? (['trash'] as const) : []), ...(versions ? (['versions'] as const) : [])]
  const stores = await Promise.all(used.map((store) => problemOf(folder, storeNames[store])))
  for (const problem of stores) if (problem !== undefined && !readOnly) findings.push(problem)
  if (used.length > 0 && stores.every((problem) => problem === undefined))
    findings.push(
      kept.good(
        `${called} keeps ${sizeText(sizes.trash)} in the trash and ${sizeText(sizes.versions)} of older versions`,
      ),
    )
  return findings
}

/** One that is missing is made with the first thing that is kept. */
async function problemOf(root: string, name: string): Promise<Finding | undefined> {
  const folder = join(root, name)
  const found = await lstat(folder).catch(() => undefined)
  if (found === undefined) return undefined
  if (!found.isDirectory())
    return kept.warning(
      `${folder} is no folder, so nothing can be kept.`,
      'Move it away: it is made again when it is needed.',
    )
  const top = await lstat(root).catch(() => undefined)
  if (top !== undefined && top.dev !== found.dev)
    return kept.warning(
      `${folder} lies on another disk than ${root}: nothing can be renamed into it.`,
      'Unmount what is mounted there.',
    )
  const isUsable = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (isUsable) return undefined
  return kept.warning(
    `Account ${accountName()} may not use ${folder}, so nothing can be moved into it.`,
    `Give it to the account: chown -R ${accountName()} ${folder}`,
  )
}
