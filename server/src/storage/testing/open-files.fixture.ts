import { readdirSync, readlinkSync } from 'node:fs'

/**
 * The names of what this process holds open in a folder. Not a mere number of descriptors: the process also runs other
 * tests, whose connections close when they like.
 */
export const openBeneath = (folder: string): string[] =>
  readdirSync('/proc/self/fd')
    .map(nameOf)
    .filter((name) => name.startsWith(folder))
    .sort()

function nameOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    // The one by which the folder of descriptors was read.
    return ''
  }
}
