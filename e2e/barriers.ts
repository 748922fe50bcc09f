import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What stands in the way of assistive technology, one line per element; empty is good. `within` is a selector. */
export const findBarriers = (page: Page, within = 'html'): Promise<string[]> => runAxe(page, within, {})

/** The same by day, and by night what only there can be wrong: the colours. */
export async function findBarriersInBothThemes(page: Page, within = 'html'): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const byDay = await runAxe(page, within, {})
  await page.emulateMedia({ colorScheme: 'dark' })
  const byNight = await runAxe(page, within, { runOnly: ['color-contrast'] })
  return [...byDay, ...byNight.map((barrier) => `${barrier} in the dark`)]
}

async function runAxe(page: Page, within: string, options: RunOptions): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in window)
  if (!isThere) await page.evaluate(axeSource)
  const [where, how] = [within, options].map((each) => JSON.stringify(each))
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${where}, ${how})`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
