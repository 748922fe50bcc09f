import type { Progress } from './transfer-options.ts'

/** Counts what is done of a tree, and tells of it a few times a second. */
export interface Meter {
  /** A file or link is begun, at a path below the top of the tree. */
  file(path: string): Metered
  /** A symlink or special file is not copied. */
  leaveOut(path: string): void
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

/** So many that are left out are told by their paths. */
const mostLeftOut = 100

/** What was `counted` earlier is told until there is more. */
export function meterFor(progress: Progress | undefined, counted = { files: 0, bytes: 0 }): Meter {
  let [files, bytes, toldAt] = [0, 0, performance.now()]
  let current = ''
  const leftOut = { count: 0, first: [] as string[] }

  function tell(): void {
    toldAt = performance.now()
    progress?.({
      files: Math.max(files, counted.files),
      bytes: Math.max(bytes, counted.bytes),
      current,
      ...(leftOut.count > 0 && { leftOut: { ...leftOut, first: [...leftOut.first] } }),
    })
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
    leaveOut(path) {
      leftOut.count += 1
      if (leftOut.first.length < mostLeftOut) leftOut.first.push(path)
    },
    end: tell,
    get done() {
      return { files, bytes }
    },
  }
}
