import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '../src')

/**
 * The classes of CSS modules: the name, and a number for the file. The usual hash and line are a thousand bytes of a
 * first visit, and tell less.
 */
export function classNames(): (name: string, file: string) => string {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.module.css'))
    .sort()
  return (name, file) => `${name}_${files.indexOf(relative(root, file.split('?')[0] ?? '')).toString(36)}`
}
