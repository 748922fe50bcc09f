import { posix } from 'node:path'
import { Failure } from '../failure.ts'

const mostLinks = 40

/**
 * Where a path below `base` really leads: every link replaced by its target, names that do not exist kept as they are.
 * It only names a path, which is then opened without following symlinks, so a swap in between is noticed. Yields each name
 * on the way, and wants to be told the target of a link there.
 */
export function* following(base: string, path: string): Generator<string, string, string | undefined> {
  const pending = namesIn(path)
  let at = base
  for (let links = 0; pending.length > 0; ) {
    const name = pending.shift() ?? ''
    if (name === '..') {
      at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))
      continue
    }
    const target = yield `${at}/${name}`
    if (target === undefined) {
      at = `${at}/${name}`
      continue
    }
    links += 1
    if (links > mostLinks) throw new Failure('not-found', 'The links lead in a circle')
    pending.unshift(...namesIn(target))
    if (target.startsWith('/')) at = ''
  }
  return at || '/'
}

/** The same where links are read at once. `found` hears of each link before the place is looked at that it leads to. */
export function follow(
  base: string,
  path: string,
  readLink: (path: string) => string | undefined,
  found: (link: string, target: string) => void = () => {},
): string {
  const way = following(base, path)
  let step = way.next()
  while (!step.done) {
    const target = readLink(step.value)
    if (target !== undefined) found(step.value, posix.resolve(posix.dirname(step.value), target))
    step = way.next(target)
  }
  return step.value
}

/**
 * What a link must say in a copy of its folder to mean the same: one that points within the copied tree stays as it
 * is, any other is told the way back. `inside` is where the link stands in the tree.
 */
export function linkElsewhere(target: string, pathToOriginal: string, inside: string): string {
  const folder = posix.dirname(inside)
  const staysInside = !/^\.\.(\/|$)/.test(posix.join(folder, target))
  if (target.startsWith('/') || staysInside) return target
  return posix.join(wayUp(folder), pathToOriginal, folder, target)
}

const namesIn = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.')

const wayUp = (folder: string): string =>
  namesIn(folder)
    .map(() => '..')
    .join('/')
