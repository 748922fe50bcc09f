import type { Locator, Page } from '@playwright/test'

/** What the page says about something that was done, or could not be. */
export const toast = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('region', { name: 'Notifications' }).getByRole('status').filter({ hasText: text })
