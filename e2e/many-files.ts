import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Product } from './product.ts'

/**
 * A folder of more empty files than a test could write one by one, named by a pattern of `seq` from 0 on. It is made once
 * for each server, and lies beside the served folder between tests: to make it, or to remove it, takes longer than most tests.
 */
export function manyFiles(count: number, pattern: string) {
  const shelf = (product: Product) => join(dirname(product.root), `${count} files`)
  const script = 'mkdir "$1" && cd "$1" && seq -f "$2" 0 "$3" | tr "\\n" "\\0" | xargs -0 touch'
  return {
    lend(product: Product, folder: string): void {
      const kept = shelf(product)
      if (!existsSync(kept)) execFileSync('sh', ['-c', script, 'sh', kept, pattern, String(count - 1)])
      renameSync(kept, join(product.root, folder))
    },
    /** Nothing, where a test has not borrowed it, or has not left it whole. */
    takeBack(product: Product, folder: string): void {
      const lent = join(product.root, folder)
      if (existsSync(lent) && readdirSync(lent).length === count) renameSync(lent, shelf(product))
    },
  }
}
