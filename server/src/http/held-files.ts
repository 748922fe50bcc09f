import { readFileSync } from 'node:fs'

interface Closable {
  close(): void
}

/** Files that stay open for a while after their answer was handed over. */
export interface HeldFiles {
  hold(file: Closable): void
  closeAll(): void
}

/** In milliseconds. */
const heldFor = 2000

/**
 * The runtime opens the file of an answer anew, through the descriptor's number, when the answer starts; it does not tell
 * when that has happened. Were the number given to another file before, the answer would be that other file. So the
 * descriptor is kept much longer than the runtime takes; of very many at once, the oldest are closed first.
 */
export function heldFiles(most = mostHeld(), milliseconds = heldFor): HeldFiles {
  let held: { file: Closable; since: number }[] = []
  let timer: NodeJS.Timeout | undefined

  function closeOld(): void {
    timer = undefined
    const now = performance.now()
    const young = held.findIndex(({ since }) => now - since < milliseconds)
    const old = young === -1 ? held.splice(0) : held.splice(0, young)
    for (const { file } of old) file.close()
    if (held.length > 0) timer = setTimeout(closeOld, milliseconds / 2)
  }

  return {
    hold(file) {
      held.push({ file, since: performance.now() })
      if (held.length > most) held.shift()?.file.close()
      timer ??= setTimeout(closeOld, milliseconds)
    },
    closeAll() {
      clearTimeout(timer)
      timer = undefined
      const all = held
      held = []
      for (const { file } of all) file.close()
    },
  }
}

/** Where a process may open few files, most of them are needed for other things. */
function mostHeld(): number {
  try {
    const [, limit = '0'] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return Math.max(1, Math.min(128, Math.floor(Number(limit) / 16)))
  } catch {
    return 32
  }
}

export const filesOfAnswers = heldFiles()
