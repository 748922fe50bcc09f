import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'

/** The runtime that came with the packages. */
export function runtime() {
  const system = process.platform === 'darwin' ? 'darwin' : 'linux'
  const processor = process.arch === 'arm64' ? 'aarch64' : 'x64'
  const found = [`bun-${system}-${processor}`, `bun-${system}-${processor}-musl`]
    .map((name) => join(root, 'node_modules/@oven', name, 'bin/bun'))
    .find((file) => existsSync(file))
  if (found === undefined) throw new Error(`There is no runtime for ${process.platform} ${process.arch}`)
  return found
}
