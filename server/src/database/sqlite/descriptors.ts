import { readdirSync, readlinkSync, realpathSync } from 'node:fs'

/** Where SQLite has a file open. To close another descriptor of the file would drop the locks that SQLite holds. */
export function descriptorOf(file: string): number | undefined {
  try {
    const path = realpathSync(file)
    const found = readdirSync('/proc/self/fd').find((name) => targetOf(name) === path)
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}

function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return undefined
  }
}
