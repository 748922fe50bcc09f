import type { BrowserContext, Locator, Page } from '@playwright/test'
import { row } from './listing.ts'
import { expect, type Product } from './product.ts'

type State = Awaited<ReturnType<BrowserContext['storageState']>>
const states = new Map<string, State>()

/** Opens a page of the product, signed in. Only the first time in a worker goes through the form. */
export async function enter(page: Page, product: Product, path = 'files/'): Promise<void> {
  const state = states.get(product.url)
  if (state === undefined) {
    await product.signIn(page)
    states.set(product.url, await page.context().storageState())
  } else {
    await page.context().addCookies(state.cookies)
    const items = state.origins.flatMap(({ localStorage }) => localStorage)
    await page.addInitScript((all) => {
      for (const { name, value } of all) if (localStorage.getItem(name) === null) localStorage.setItem(name, value)
    }, items)
  }
  await page.goto(new URL(path, product.url).href)
  await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'false')
}

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

export const toast = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('region', { name: 'Notifications' }).getByRole('status').filter({ hasText: text })

export const phone = { width: 390, height: 844 }
