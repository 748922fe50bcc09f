import { existsSync } from 'node:fs'
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
  if (!mayChange(nearest))
    return about.warning(
      `Account ${accountName()} may not write into ${nearest}: every thumbnail is made anew each time.`,
      `Give it the folder: chown -R ${accountName()} ${nearest}, or name another one with --cacheDir.`,
    )
  return about.good(`${cacheDir}, up to ${sizeText(cacheSize)}`)
}
