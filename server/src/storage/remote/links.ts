import { isInside } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { following } from '../links.ts'
import { checkedPath, inFolder, rootPath, type VirtualPath } from '../path.ts'
import { lookAtFolder, type Remote } from './remote.ts'

/**
 * Where a path really leads: every symlink replaced by its target, names that are not there kept as they are. What leads out
 * of the mount is forbidden.
 */
export async function resolve(remote: Remote, base: VirtualPath, path: VirtualPath): Promise<VirtualPath> {
  const { files } = remote
  if (!files.abilities.symlinks) return path
  if (base !== '/') await lookAtFolder(remote, base)
  const root = withoutSlash(files.root ?? nowhere)
  const begin = withoutSlash(base)
  const way = following(`${root}${begin}`, path.slice(begin.length))
  let step = way.next()
  while (!step.done) step = way.next(await targetAt(remote, root, step.value))
  const real = step.value
  if (!isInside(real, root || '/')) throw new Failure('forbidden', 'The path leads out of the folder')
  return checkedPath(real.slice(root.length) || '/')
}

/** No symlink can say that: where the root is unknown, no absolute one leads into it. */
const nowhere = '/\0'

/** What lies outside of the mount is not looked at. */
async function targetAt({ files }: Remote, root: string, full: string): Promise<string | undefined> {
  if (full === root || !isInside(full, root || '/')) return undefined
  const path = inFolder(rootPath, full.slice(root.length + 1))
  return (await files.stat(path))?.kind === 'link' ? files.readLink?.(path) : undefined
}

const withoutSlash = (path: string): string => path.replace(/\/+$/, '')
