import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare.mjs'

/** These hold compiled code, or open files beside their own, and therefore cannot live inside the executable. */
const besideTheExecutable = ['sharp', 'lzma-native', 'lz4-napi', 'snappy', 'bzip2-wasm']

/**
 * Packages by their place in the lock file. `shipped` is all that is part of a release, `beside` what lies next to its
 * executable. The lock file knows the packages of every platform, so this works for any target.
 */
export function packagesFor(target, lock = readLock()) {
  const runtime = `node_modules/@oven/${target.runtime}`
  const places = new Set([
    ...closure(lock, ['contract', 'server'], target),
    // A page uses nothing that is optional: it would have to be there.
    ...closure(lock, ['web'], target, { withOptional: false }),
    runtime,
  ])
  return {
    shipped: [...places].filter((place) => place.includes('node_modules/')),
    beside: [
      ...closure(
        lock,
        besideTheExecutable.map((name) => `node_modules/${name}`),
        target,
      ),
    ],
    runtime,
  }
}

export const readLock = () => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

/** What the lock file tells of a package. A runtime of another platform has the entry of the installed one. */
export const entryOf = (place, lock) => {
  const { version, license } = lock.packages['node_modules/@oven/bun-linux-x64']
  return lock.packages[place] ?? { version, license }
}

export const nameOf = (place) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

function closure(lock, places, target, { withOptional = true } = {}) {
  const found = new Set()
  const visit = (place) => {
    if (found.has(place)) return
    found.add(place)
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[place]
    for (const name of Object.keys({ ...dependencies, ...(withOptional && optionalDependencies) })) {
      const next = resolved(lock, place, name)
      if (next !== undefined && fits(lock.packages[next], target)) visit(next)
    }
  }
  for (const place of places) visit(place)
  return found
}

/** As Node looks for it: in the folder itself, then in those above. */
function resolved(lock, from, name) {
  for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    const entry = lock.packages[place]
    if (entry !== undefined) return entry.link ? entry.resolved : place
    if (at === '') return undefined
  }
}

function fits({ os, cpu, libc }, target) {
  const takes = (list, value) => list === undefined || list.includes(value)
  return takes(os, 'linux') && takes(cpu, target.cpu) && takes(libc, target.libc)
}
