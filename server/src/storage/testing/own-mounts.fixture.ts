import { tmpdir } from 'node:os'

/** A test file that is run once more through this (`rerun`) has a mount table of its own, which ends with the process. */
export const withOwnMounts = ['unshare', '--mount', '--propagation=private']

/** Some systems forbid it. */
export const canHaveOwnMounts = (): boolean =>
  Bun.which('unshare') !== null && Bun.spawnSync([...withOwnMounts, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).success

const mounted: string[] = []

export function mount(place: string, ...options: string[]): void {
  const { success, stderr } = Bun.spawnSync(['mount', ...options, place])
  if (!success) throw new Error(stderr.toString())
  mounted.push(place)
}

export function unmountAll(): void {
  for (const place of mounted.splice(0).reverse()) Bun.spawnSync(['umount', '-l', place])
}
