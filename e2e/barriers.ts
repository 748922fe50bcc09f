import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What stands in the way of assistive technology, one line per element; empty is good. `within` is a selector. */
export async function findBarriers(page: Page, within = 'html'): Promise<string[]> {
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(within)})`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
