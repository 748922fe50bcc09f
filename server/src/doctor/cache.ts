import { existsSync, statfsSync } from 'node:fs'
import { accountName } from '../storage/linux/account.ts'
import { isFolder, mayChange, nearestFolder } from './access.ts'
import { type Finding, findingsAbout, sizeText } from './finding.ts'

const about = findingsAbout('Cache')

/** The server works without a cache, so the worst result is a warning. */
export function examineCache({ cacheDir, cacheSize }: { cacheDir: string; cacheSize: number }): Finding {
  if (cacheDir === '') return about.note('There is none: every thumbnail is made anew each time.')
  const nearest = nearestFolder(cacheDir)
  if (existsSync(cacheDir) && !isFolder(cacheDir))
    return about.warning(
      `${cacheDir} is a file: every thumbnail is made anew each time.`,
      'Name a folder with --cacheDir.',
    )
  if (isOfKernel(nearest))
    return about.warning(
      `${nearest} takes no files: every thumbnail is made anew each time.`,
      'Name a folder of a disk with --cacheDir.',
    )
  if (!mayChange(nearest))
    return about.warning(
      `Account ${accountName()} may not write into ${nearest}, where the cache is to be kept: every thumbnail is made anew each time.`,
      `Give it the folder: chown -R ${accountName()} ${nearest}, or name another one with --cacheDir.`,
    )
  return about.good(`${cacheDir}, up to ${sizeText(cacheSize)}`)
}

/** The file systems of /proc and /sys take no files, also where permissions say otherwise. */
const kernelDisks = [0x9fa0, 0x62656572]

function isOfKernel(folder: string): boolean {
  try {
    return kernelDisks.includes(statfsSync(folder).type)
  } catch {
    return false
  }
}
