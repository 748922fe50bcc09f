import { join, nameOf, numbered, parentOf } from '@filestead/contract'

/** So many names are asked for at once, for each file. */
const triedAtOnce = 10

/** Which of these names does the folder have? */
type Ask = (folder: string, names: readonly string[]) => Promise<readonly { path: string }[]>

/**
 * For each path below `into` whose name is taken, the first that is free, numbered as the server does: 'a.txt' becomes
 * 'a(1).txt'. `chosen` are all paths that are sent: their names are taken, too.
 */
export async function freePaths(
  taken: readonly string[],
  chosen: Iterable<string>,
  into: string,
  ask: Ask,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const used = new Set([...chosen].map((path) => join(into, path)))
  for (let [first, rest] = [1, taken]; rest.length > 0; first += triedAtOnce) {
    const triesFor = (path: string) =>
      Array.from({ length: triedAtOnce }, (_, index) => numbered(join(into, path), first + index))
    for (const [folder, paths] of Map.groupBy(rest.flatMap(triesFor), parentOf))
      for (const entry of await ask(folder, paths.map(nameOf))) used.add(entry.path)
    for (const path of rest) {
      const free = triesFor(path).find((each) => !used.has(each))
      if (free === undefined) continue
      used.add(free)
      found.set(path, join(parentOf(`/${path}`), nameOf(free)).slice(1))
    }
    rest = rest.filter((path) => !found.has(path))
  }
  return found
}
