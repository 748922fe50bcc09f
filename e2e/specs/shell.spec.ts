import type { Page } from '@playwright/test'
import { findBarriers } from '../barriers.ts'
import { test as base, expect, launch, type Product } from '../product.ts'

const test = base.extend<object, { withShell: Product }>({
  withShell: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from this pattern
    async ({}, use) => {
      const { product, stop } = await launch('--disableExec=false')
      try {
        await use(product)
      } finally {
        await stop()
      }
    },
    { scope: 'worker' },
  ],
})

test('a command runs in the folder in view, and what it says is shown', async ({ page, withShell }) => {
  await withShell.put({ 'Box/inside.txt': 'x' })
  const { shell, command } = await openShell(page, withShell, 'files/Box/')

  await command.fill('ls')
  await page.keyboard.press('Enter')

  await expect(shell.getByRole('log', { name: 'Shell output' })).toContainText('inside.txt')
  await expect(shell).toHaveAttribute('aria-busy', 'false')
  await expect(command).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(command).toHaveValue('ls')
  expect(await findBarriers(page)).toEqual([])
})

test('a command that is not allowed is refused, a long one can be stopped', async ({ page, withShell }) => {
  await withShell.put({})
  const { shell, command } = await openShell(page, withShell)
  await command.fill('rm -rf .')
  await page.keyboard.press('Enter')
  await expect(shell.getByRole('log')).toContainText('Command not allowed')

  await command.fill('sleep 100')
  await page.keyboard.press('Enter')
  await expect(shell).toHaveAttribute('aria-busy', 'true')
  await expect(command).toBeDisabled()
  await shell.getByRole('button', { name: 'Stop the command' }).click()

  await expect(shell).toHaveAttribute('aria-busy', 'false')
})

test('clear empties the output, exit hides the panel, arrows change its height', async ({ page, withShell }) => {
  await withShell.put({})
  const { shell, command } = await openShell(page, withShell)
  await command.fill('echo hello')
  await page.keyboard.press('Enter')
  await expect(shell.getByRole('log')).toContainText('hello')
  await command.fill('clear')
  await page.keyboard.press('Enter')
  await expect(shell.getByRole('log')).toHaveText('')

  const edge = shell.getByRole('separator', { name: 'Resize shell' })
  const before = Number(await edge.getAttribute('aria-valuenow'))
  await edge.focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(async () => Number(await edge.getAttribute('aria-valuenow'))).toBeGreaterThan(before)

  await command.fill('exit')
  await page.keyboard.press('Enter')
  await expect(shell).toBeHidden()
})

test('without the switch there is no shell', async ({ page, product }) => {
  await product.put({})
  await product.signIn(page)
  await expect(page.getByRole('button', { name: 'Toggle shell' })).toBeHidden()
})

async function openShell(page: Page, product: Product, folder = 'files/') {
  await product.signIn(page, folder)
  await page.getByRole('button', { name: 'Toggle shell' }).click()
  const shell = page.getByRole('region', { name: 'Shell' })
  const command = shell.getByRole('textbox', { name: 'Command' })
  await expect(command).toBeFocused()
  return { shell, command }
}
