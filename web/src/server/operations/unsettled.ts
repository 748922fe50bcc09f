import { sessionStore } from '../../state/session-scope.ts'

/** How many changes on their way each path is part of. */
const changing = sessionStore<ReadonlyMap<string, number>>(new Map())

/**
 * Is a change of this path on its way, so that the server may have the file under another one? Its picture is not asked
 * for meanwhile: the answer would be that there is no such file.
 */
export const useIsUnsettled = (path: string): boolean => changing.use((paths) => paths.has(path))

/** From now until the answered function is called. */
export function unsettle(paths: readonly string[]): () => void {
  const count = (by: 1 | -1) => {
    const next = new Map(changing.get())
    for (const path of paths) {
      const sum = (next.get(path) ?? 0) + by
      if (sum > 0) next.set(path, sum)
      else next.delete(path)
    }
    changing.set(next)
  }
  count(1)
  return () => count(-1)
}
