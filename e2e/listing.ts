import type { Locator, Page } from '@playwright/test'

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
