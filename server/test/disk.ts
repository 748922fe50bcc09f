import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Everything below a folder: a file with its content, a link with its target, a folder with an empty text. */
export function treeOf(folder: string, below = ''): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(join(folder, below)).sort()) {
    const inside = join(below, name)
    const path = join(folder, inside)
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) tree[inside] = `-> ${readlinkSync(path)}`
    else if (stat.isDirectory()) Object.assign(tree, { [`${inside}/`]: '' }, treeOf(folder, inside))
    else if (stat.isFile()) tree[inside] = readFileSync(path, 'latin1')
    else tree[inside] = 'special'
  }
  return tree
}

export const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8)

/** Empty files, many of them quickly: most are further names of one that was made. */
export function fillFolder(folder: string, names: Iterable<string>): void {
  mkdirSync(folder, { recursive: true })
  let [count, original] = [0, '']
  for (const name of names) {
    const path = join(folder, name)
    // File systems allow some ten thousand names of one file.
    if (count % 10_000 === 0) writeFileSync(path, '')
    else linkSync(original, path)
    if (count % 10_000 === 0) original = path
    count += 1
  }
}
