import { resolve } from 'node:path'

interface ModuleLookup {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

/**
 * The chunks that pages start with, and the modules that begin them. A chunk holds what its modules import, without
 * what the chunks before it hold. `common` is what the page of a link shares with the screens behind the sign-in.
 */
const beginnings = {
  first: ['main.tsx', 'auth/LoginScreen.tsx'],
  common: [],
  files: ['app/Stage.tsx', 'app/SidebarFrame.tsx', 'files/FilesScreen.tsx', 'errors/ErrorScreen.tsx'],
  share: ['app/Stage.tsx', 'public-share/ShareScreen.tsx'],
  settings: ['settings/SettingsScreen.tsx'],
} satisfies Record<string, readonly string[]>

type Name = keyof typeof beginnings

/**
 * Puts what a page starts with into few chunks. Left alone, the bundler makes a file of its own of every module that a
 * lazy part shares with the page: fifty requests, each with headers, each compressed by itself. Packages are kept apart
 * from our own code, so that a release leaves them in the caches of browsers.
 */
export function chunkGroups() {
  let names: Map<string, Name> | undefined
  const groups = Object.keys(beginnings).flatMap((name) => [`${name}-packages`, name])
  return groups.map((group, index) => ({
    debugName: group,
    // A group takes along what its modules import: those that others rely on come first.
    priority: groups.length - index,
    name(id: string, modules: ModuleLookup): string | null {
      names ??= assign(modules)
      const name = names.get(id)
      if (name === undefined) return null
      return (id.includes('/node_modules/') ? `${name}-packages` : name) === group ? group : null
    },
  }))
}

function assign(modules: ModuleLookup): Map<string, Name> {
  const reached = Object.entries(beginnings).map(([name, from]) => [name as Name, reachable(modules, from)] as const)
  const { files, share, settings } = Object.fromEntries(reached) as Record<Name, Set<string>>
  const names = new Map<string, Name>()
  for (const [name, own] of reached) {
    const ids = name === 'common' ? [...share].filter((id) => files.has(id) || settings.has(id)) : own
    // What the login screen is made of is needed everywhere; the screen itself is not.
    for (const id of ids) if (!names.has(id) && !id.includes('/src/auth/')) names.set(id, name)
  }
  return names
}

/** What the modules import, and what that imports, lazy imports left aside. */
function reachable(modules: ModuleLookup, from: readonly string[]): Set<string> {
  const found = new Set(from.map((file) => resolve(import.meta.dirname, '../src', file)))
  for (const id of found) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next)
  return found
}
