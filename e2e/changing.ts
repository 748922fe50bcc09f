import type { Page } from '@playwright/test'
import { row } from './listing.ts'
import { expect } from './product.ts'

/** Chooses these entries and nothing else. */
export async function choose(page: Page, ...names: string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    await row(page, name).click(index === 0 ? {} : { modifiers: ['ControlOrMeta'] })
    await expect(row(page, name)).toHaveAttribute('aria-selected', 'true')
  }
}

/** A button of the bar over the listing; on a phone it may hide in the menu "More". */
export async function act(page: Page, name: string): Promise<void> {
  const button = page.getByRole('toolbar').getByRole('button', { name, exact: true })
  const more = page.getByRole('toolbar').getByRole('button', { name: 'More' })
  await expect(button.or(more).first()).toBeVisible()
  if (await button.isVisible()) return button.click()
  await more.click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
