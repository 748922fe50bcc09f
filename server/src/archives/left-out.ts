import { PlainEntry } from '../storage/entry.ts'
import { rootPath } from '../storage/path.ts'
import type { Member } from './members.ts'

/** What could not be packed. The archive has the list as its last member, because its status has been sent by then. */
export interface LeftOut {
  add(name: string): void
  names(): readonly string[]
  /** A text file with all names; undefined if nothing was left out. */
  member(): Member | undefined
}

const mostNamed = 1000

/** A walk that is made again finds the same names again: each counts once, as far as they are kept. */
export function leftOut(before: readonly string[] = []): LeftOut {
  const names: string[] = [...before]
  const known = new Set(names)
  let count = names.length
  return {
    add(name) {
      if (known.has(name)) return
      count += 1
      if (count > mostNamed) return
      names.push(name)
      known.add(name)
    },
    names: () => names,
    member() {
      if (count === 0) return undefined
      const more = count > mostNamed ? [`... and ${count - mostNamed} more`] : []
      const lines = ['The server could not read these, so they are not in this archive:', '', ...names, ...more, '']
      return memberOf(lines.join('\n'))
    },
  }
}

/** The same for the same text each time, so that a download can be continued later. */
function memberOf(content: string): Member {
  const text = new TextEncoder().encode(content)
  const name = 'LEFT OUT.txt'
  const seconds = Date.UTC(1980, 0, 1) / 1000
  const facts = { name, kind: 'file', isLink: false, size: text.length, mode: 0o644, seconds, nanoseconds: 0 } as const
  return { path: rootPath, name, text, entry: new PlainEntry(facts, { id: name, version: '""' }) }
}
