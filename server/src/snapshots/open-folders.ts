import type { ThreadedScopes } from '../storage/threads/scopes.ts'

/** Threads for folders with snapshots, which are there while something is read. */
export interface OpenFolders {
  at(folder: string): ThreadedScopes
  close(): void
}

/** Of folders, not of snapshots: all that lie in one folder share its threads. */
const mostOpen = 8
/** In milliseconds. */
const usuallyIdle = 120_000

export function openFolders(open: (folder: string) => ThreadedScopes, idleFor = usuallyIdle): OpenFolders {
  /** The one that was not asked for longest is the first. */
  const opened = new Map<string, { scopes: ThreadedScopes; usedAt: number }>()
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false

  function sweep(): void {
    const now = performance.now()
    for (const [folder, each] of opened) {
      if (each.scopes.isBusy()) each.usedAt = now
      else if (now - each.usedAt >= idleFor) end(folder)
    }
    if (opened.size > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }

  function end(folder: string): void {
    opened.get(folder)?.scopes.close()
    opened.delete(folder)
  }

  return {
    at(folder) {
      const known = opened.get(folder)
      const scopes = known?.scopes ?? open(folder)
      opened.delete(folder)
      if (opened.size >= mostOpen)
        for (const [other, each] of opened)
          if (!each.scopes.isBusy()) {
            end(other)
            break
          }
      if (isClosed) scopes.close()
      else {
        opened.set(folder, { scopes, usedAt: performance.now() })
        sweeping ??= setInterval(sweep, Math.min(idleFor, 30_000)).unref()
      }
      return scopes
    },
    close() {
      isClosed = true
      clearInterval(sweeping)
      for (const folder of [...opened.keys()]) end(folder)
    },
  }
}
