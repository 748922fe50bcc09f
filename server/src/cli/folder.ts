import { existsSync, statSync } from 'node:fs'

/** Refuses to go on without the folder that is to be served. */
export function requireFolder(root: string): void {
  let isFolder = false
  try {
    isFolder = statSync(root).isDirectory()
  } catch {
    throw new Error(`Cannot serve ${root}: ${existsSync(root) ? 'it cannot be read' : 'it does not exist'}`)
  }
  if (!isFolder) throw new Error(`Cannot serve ${root}: it is not a folder`)
}
