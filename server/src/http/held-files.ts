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

interface HeldFile {
  readonly file: Closable
  readonly since: number
  /** A turn of the event loop has passed since then. */
  isOld: boolean
}

/**
 * The runtime opens the file of an answer anew, through the descriptor's number, when the answer starts; it does not tell
 * when that has happened. Were the number given to another file before, the answer would be that other file. So the
 * descriptor is kept much longer than the runtime takes. Of very many the oldest are closed first, but none in the turn
 * of its answer: the runtime starts all answers of a turn at its end.
 */
export function heldFiles(most = mostHeld(), milliseconds = heldFor): HeldFiles {
  const held: HeldFile[] = []
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  function closeFirst(count: number): void {
    for (const { file } of held.splice(0, count)) file.close()
  }

  function closeOld(): void {
    timer = undefined
    const now = performance.now()
    const young = held.findIndex(({ since }) => now - since < milliseconds)
    closeFirst(young === -1 ? held.length : young)
    if (held.length > 0) timer = setTimeout(closeOld, milliseconds / 2)
  }

  function closeExcess(): void {
    turn = undefined
    const young = held.findIndex(({ isOld }) => !isOld)
    closeFirst(Math.max(0, Math.min(held.length - most, young === -1 ? held.length : young)))
    for (const one of held) one.isOld = true
    if (held.length > most) turn = setImmediate(closeExcess)
  }

  return {
    hold(file) {
      held.push({ file, since: performance.now(), isOld: false })
      if (held.length > most) turn ??= setImmediate(closeExcess)
      timer ??= setTimeout(closeOld, milliseconds)
    },
    closeAll() {
      clearTimeout(timer)
      clearImmediate(turn)
      timer = undefined
      turn = undefined
      closeFirst(held.length)
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
