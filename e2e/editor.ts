import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, type Product } from './product.ts'

/** Signs in at the address of a text, and waits until it can be edited. */
export async function openText(page: Page, product: Product, name: string): Promise<void> {
  await product.signIn(page, `files/${name}`)
  await expect(page.getByRole('textbox', { name: 'File content' })).toBeVisible()
}

export const onDisk = (product: Product, name: string) => readFile(join(product.root, name))
