import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { root } from './prepare.mjs'

/** What the first visit of each kind of page may cost on the wire, in bytes. Raise it knowingly, or not at all. */
const budgets = { files: 175_000, share: 110_000, login: 88_000 }

/** Scripts, styles and texts that a page loads before it is shown, compressed. */
export function checkSize() {
  const dist = join(root, 'web/dist')
  const pages = JSON.parse(readFileSync(join(dist, 'pages.json'), 'utf8'))
  const isSmall = Object.entries(budgets).map(([page, budget]) => {
    const size = pages[page].reduce((sum, file) => sum + brotliCompressSync(readFileSync(join(dist, file))).length, 0)
    console.log(`First visit of ${page}: ${(size / 1000).toFixed(1)} kB of ${budget / 1000} kB`)
    return size <= budget
  })
  return isSmall.every(Boolean)
}
