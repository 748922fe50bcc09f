import type { Progress } from './port.ts'

/** Counts what is done of a tree, and tells of it a few times a second. */
export interface Meter {
  /** A file or link is begun, at a path below the top of the tree. */
  file(path: string): Metered
  /** All is done. */
  end(): void
  readonly done: { readonly files: number; readonly bytes: number }
}

export interface Metered {
  /** So many bytes of it are done. */
  readonly grown: (bytes: number) => void
  /** All of it, which is of that size. */
  end(size: number): void
}

/** In milliseconds. */
const tellEvery = 250

/** What was `counted` earlier is told until there is more. */
export function meterFor(progress: Progress | undefined, counted = { files: 0, bytes: 0 }): Meter {
  let [files, bytes, toldAt] = [0, 0, performance.now()]
  let current = ''

  function tell(): void {
    toldAt = performance.now()
    progress?.({ files: Math.max(files, counted.files), bytes: Math.max(bytes, counted.bytes), current })
  }

  function tellSometimes(): void {
    if (performance.now() - toldAt >= tellEvery) tell()
  }

  return {
    file(path) {
      let known = 0
      const count = (size: number) => {
        bytes += size - known
        known = size
        current = path
      }
      return {
        grown(size) {
          count(size)
          tellSometimes()
        },
        end(size) {
          count(size)
          files += 1
          tellSometimes()
        },
      }
    },
    end: tell,
    get done() {
      return { files, bytes }
    },
  }
}
