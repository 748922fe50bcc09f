import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

export const mayRead = (path: string): boolean => may(path, constants.R_OK)
export const mayWrite = (path: string): boolean => may(path, constants.W_OK)
/** R_OK and X_OK: to list a folder and open its entries. */
export const mayBrowse = (folder: string): boolean => may(folder, constants.R_OK | constants.X_OK)
export const mayEnter = (folder: string): boolean => may(folder, constants.X_OK)
export const mayChange = (folder: string): boolean => may(folder, constants.W_OK | constants.X_OK)

export const isFolder = (path: string): boolean => statOf(path)?.isDirectory() ?? false

/** Undefined if the path does not exist or may not be read. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** The nearest folder above a path that exists. */
export function nearestFolder(path: string): string {
  for (let folder = path; ; folder = dirname(folder)) if (existsSync(folder) || folder === '/') return folder
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
