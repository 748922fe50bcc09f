import { statfsSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { resolve } from 'node:path'
import packageFile from '../package.json'
import { readTool } from './tool.ts'

/** What a reader has to know to compare figures. Read before the run does anything. */
export interface Machine {
  processor: string
  cores: number
  memoryGB: number
  system: string
  fileSystem: string
  /** How many processes wanted to run in the minute before the run. */
  load: number
}

export function readMachine(root: string): Machine {
  const [first] = cpus()
  return {
    processor: first?.model.trim() ?? 'unknown',
    cores: navigator.hardwareConcurrency,
    memoryGB: Math.round(totalmem() / 1e9),
    system: `${type()} ${release().split('-', 1)[0]}`,
    fileSystem: fileSystems[statfsSync(root).type] ?? 'another file system',
    load: loadavg()[0] ?? 0,
  }
}

/** The numbers that the kernel gives them. */
const fileSystems: Record<number, string> = {
  61267: 'ext4',
  2435016766: 'btrfs',
  1481003842: 'xfs',
  16914836: 'tmpfs',
  801189825: 'zfs',
  2035054128: 'overlay',
}

export const version = packageFile.version

/** Of the checkout that is measured; a plus stands for changes that are not committed. */
export async function readCommit(): Promise<string> {
  const git = (...words: string[]) => readTool(['git', '-C', resolve(import.meta.dir, '..'), ...words])
  try {
    const commit = (await git('rev-parse', '--short=10', 'HEAD')).trim()
    return (await git('status', '--porcelain', '--untracked-files=no')) === '' ? commit : `${commit}+`
  } catch {
    return 'unknown'
  }
}
