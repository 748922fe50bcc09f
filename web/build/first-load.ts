import { resolve } from 'node:path'

interface ModuleLookup {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

const entry = resolve(import.meta.dirname, '../src/main.tsx')

/**
 * Everything that the first page needs goes into one file. Left alone, the bundler makes a file of its own of every
 * module that a lazy part shares with the page: fifty requests, each with headers, each compressed by itself.
 */
export function firstLoad(): (id: string, modules: ModuleLookup) => string | null {
  let needed: Set<string> | undefined
  return (id, modules) => {
    needed ??= reachable(modules)
    return needed.has(id) ? 'first' : null
  }
}

/** What the entry imports, and what that imports, lazy imports left aside. */
function reachable(modules: ModuleLookup): Set<string> {
  const found = new Set([entry])
  for (const id of found) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next)
  return found
}
