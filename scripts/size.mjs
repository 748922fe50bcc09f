import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { root } from './prepare.mjs'

/** What the first page may cost on the wire. Raise it knowingly, or not at all. */
const budget = 190_000

/** Scripts and styles that the page loads at once, compressed. */
export function checkSize() {
  const page = readFileSync(join(root, 'web/dist/index.html'), 'utf8')
  const assets = join(root, 'web/dist/assets')
  const first = readdirSync(assets).filter((name) => page.includes(name) && /\.(js|css)$/.test(name))
  const size = first.reduce((sum, name) => sum + brotliCompressSync(readFileSync(join(assets, name))).length, 0)
  console.log(`The client's first load: ${(size / 1000).toFixed(1)} kB of ${budget / 1000} kB`)
  return first.length > 0 && size <= budget
}
