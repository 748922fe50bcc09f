import { expect, type Locator, type Page } from '@playwright/test'

/** The grid of the folder in view. */
export const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Files' })

/** One entry of it. */
export const row = (page: Page, name: string): Locator => grid(page).getByRole('row', { name, exact: true })

/** The names that are chosen, among those that are drawn. */
export const selected = (page: Page): Promise<string[]> =>
  grid(page)
    .locator('[role=row][aria-selected=true]')
    .evaluateAll((rows) => rows.map((each) => each.getAttribute('aria-label') ?? ''))

/** All names in the order of the screen, the header of the columns left out. */
export const names = (page: Page): Promise<string[]> =>
  grid(page)
    .locator('[role=row][aria-selected]')
    .evaluateAll((rows) => rows.map((each) => each.getAttribute('aria-label') ?? ''))

/** Goes to an entry by the first letters of its name. */
export async function typeAhead(page: Page, letters: string, name: string): Promise<void> {
  // On a busy machine a letter may come so late that it begins another word.
  await expect(async () => {
    await page.keyboard.type(letters)
    await expect(row(page, name)).toBeFocused({ timeout: 2000 })
  }).toPass()
}
