import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What lies below a folder of the disk: the content of files by path; a folder ends in a slash and is empty. Without what
 * is kept of deleted and older files. Read again where an entry goes meanwhile, as the drafts of a server at work do.
 */
export function treeOf(root: string): Record<string, string> {
  for (;;) {
    try {
      return readTree(root)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

function readTree(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const lines = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(root.length + 1)
    return entry.isDirectory() ? [`${name}/`, ''] : [name, readFileSync(path, 'utf8')]
  })
  return Object.fromEntries(lines.filter(([name]) => !isKept(name ?? '')).sort())
}

const isKept = (name: string): boolean => /^\.(Trash-\d+|filestead-versions)\//.test(name)
