import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Server } from './peer.ts'
import type { Scale } from './scale.ts'
import type { Subject } from './subjects.ts'

/** A made subject: where it lies on disk, and the same path as the peers serve it. */
export interface Place {
  disk: string
  served: string
  scale: Scale
}

/** The folder of one run inside the served root, and all that must be undone when the run ends. */
export interface Bench {
  root: string
  served: string
  scale: Scale
  notes: Set<string>
  /** Notes what could not be measured, and with it that the run is not whole. */
  fail(what: string, error: unknown): void
  hasFailed: boolean
  /** What downloads are held against, where it is installed. */
  nginx?: Server
  /** Set by a signal from outside: what is under way is finished, nothing new is begun. */
  isStopped: boolean
  place(subject: Subject): Promise<Place>
  atEnd(undo: () => Promise<void> | void): void
  end(): Promise<void>
}

export function openBench(root: string, scale: Scale, keep: boolean): Bench {
  const folder = mkdtempSync(join(root, 'bench-'))
  // A peer may run as another user.
  chmodSync(folder, 0o755)
  const served = `/${basename(folder)}`
  const made = new Set<string>()
  const undos: (() => Promise<void> | void)[] = []
  if (!keep) undos.push(() => rm(folder, { recursive: true, force: true }))

  const bench: Bench = {
    root,
    served,
    scale,
    notes: new Set(),
    hasFailed: false,
    fail(what, error) {
      bench.hasFailed = true
      bench.notes.add(`${what}: ${error instanceof Error ? error.message : error}`)
    },
    isStopped: false,
    async place(subject) {
      const { name, make } = subject(scale)
      const disk = join(folder, name)
      if (!made.has(name)) {
        await make(disk)
        made.add(name)
        // Otherwise the kernel writes the new files out half a minute later, in the middle of a round.
        Bun.spawnSync(['sync'])
      }
      return { disk, served: `${served}/${name}`, scale }
    },
    atEnd: (undo) => undos.push(undo),
    async end() {
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo()
    },
  }
  return bench
}
