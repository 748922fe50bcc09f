import { appendFileSync, readFileSync } from 'node:fs'
import type { DraftLedger } from '../disk/drafts.ts'
import type { MoveLedger } from '../disk/moving-sources.ts'
import { type Kernel, linuxKernel, O } from '../linux/kernel.ts'
import { parsePath, type VirtualPath } from '../path.ts'
import type { Storage } from '../port.ts'
import { diskStorage, makeDisk } from './disk.fixture.ts'
import { keepFor, keepingParts } from './keeping.fixture.ts'
import { memoryLedger, memoryMoves } from './ledger.fixture.ts'
import { piecesOf } from './subject.fixture.ts'

/** One verb of a storage, for a program of its own that is killed in the middle of it. */
export type KilledVerb =
  | { readonly do: 'remove'; readonly path: string }
  | { readonly do: 'save'; readonly path: string; readonly text: string }
  | { readonly do: 'move'; readonly path: string; readonly to: string }
  | { readonly do: 'restore'; readonly place: string; readonly to: string }

export interface KilledWork {
  readonly root: string
  /** What the ledgers of the storage were told, a line each. */
  readonly ledger: string
  readonly verb: KilledVerb
  /** After so many calls that change something the process is dead. */
  readonly after: number
}

/** Ledgers in a file, as those of a server are in its database. */
export function ledgersIn(file: string): { ledger: DraftLedger; moves: MoveLedger } {
  const [ledger, moves] = [memoryLedger(), memoryMoves()]
  const replay = { ledger, moves } as unknown as Record<string, Record<string, (...args: unknown[]) => Promise<void>>>
  for (const line of linesOf(file)) {
    const [which, verb, args] = JSON.parse(line) as [string, string, unknown[]]
    void replay[which]?.[verb]?.(...args)
  }
  const noted = <T extends object>(which: string, inner: T): T =>
    new Proxy(inner, {
      get(target, verb: keyof T & string) {
        const call = target[verb]
        if (typeof call !== 'function' || verb === 'leftBehind') return call
        return (...args: unknown[]) => {
          appendFileSync(file, `${JSON.stringify([which, verb, args])}\n`)
          return call(...args)
        }
      },
    })
  return { ledger: noted('ledger', ledger), moves: noted('moves', moves) }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

const changing = new Set<keyof Kernel>([
  ...(['open', 'writeNow', 'write', 'truncate', 'makeFolder', 'unlink', 'removeFolder', 'rename'] as const),
  ...(['renameToFree', 'link', 'makeLink', 'changeMode', 'changeOwner', 'setTimes', 'reserve'] as const),
  ...(['copyAttributes', 'shareBytes', 'copyFromMemory', 'copyBytes', 'copyRange'] as const),
])

/** A kernel that kills its process after so many calls that change something; before the first one for 0. */
function deadlyKernel(after: number): Kernel {
  const die = () => process.kill(process.pid, 'SIGKILL')
  let calls = 0
  const count = () => {
    calls += 1
    if (calls > after) die()
  }
  return new Proxy(linuxKernel(), {
    get(target, name: keyof Kernel) {
      const call = target[name] as (...args: unknown[]) => unknown
      if (!changing.has(name)) return call
      return (...args: unknown[]) => {
        // Most files are opened to be read.
        if (name === 'open' && (Number(args[2]) & O.CREAT) === 0) return call(...args)
        count()
        return call(...args)
      }
    },
  })
}

export async function work(storage: Storage, verb: KilledVerb): Promise<void> {
  switch (verb.do) {
    case 'remove': {
      const [path, keep] = [parsePath(verb.path), keepFor('remove')]
      return storage.remove(path, { keep, keptAt: await storage.keepPlace(path, keep) })
    }
    case 'save': {
      const options = { precondition: 'any', length: verb.text.length, keep: keepFor('save') } as const
      return void (await storage.write(parsePath(verb.path), piecesOf(verb.text), options))
    }
    case 'move':
      return storage.rename(parsePath(verb.path), parsePath(verb.to), { replace: true, keep: keepFor('move') })
    case 'restore':
      return storage.restore(verb.place as string as VirtualPath, parsePath(verb.to), {
        replace: true,
        keep: keepFor('restore'),
      })
  }
}

if (import.meta.main) {
  const { root, ledger, verb, after } = JSON.parse(process.argv[2] ?? '') as KilledWork
  const parts = { ...keepingParts(), ...ledgersIn(ledger), spool: root, kernel: deadlyKernel(after) }
  await work(diskStorage(makeDisk(parts), root), verb)
}
