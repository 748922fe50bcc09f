import type { Page, WebSocketRoute } from '@playwright/test'
import { findBarriers } from '../barriers.ts'
import { row } from '../listing.ts'
import { addUser, callApi, signInAs } from '../people.ts'
import { test as base, expect, launching, type Product } from '../product.ts'
import { phone, seeAboveKeyboard } from '../sizes.ts'

const test = base.extend<object, { withShell: Product }>({
  withShell: [launching('--disableExec=false'), { scope: 'worker' }],
})

test('a command runs in the folder in view, and what it says is shown', async ({ page, withShell }) => {
  await withShell.put({ 'Box/inside.txt': 'x' })
  const { shell, command } = await openShell(page, withShell, 'files/Box/')

  await command.fill('ls')
  await page.keyboard.press('Enter')

  const log = shell.getByRole('log', { name: 'Shell output' })
  await expect(log).toContainText('inside.txt')
  await expect(shell).toHaveAttribute('aria-busy', 'false')
  await expect(log).not.toContainText('exit status')
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

test('a refused socket says why, and so does one that breaks', async ({ page, withShell }) => {
  await withShell.put({})
  const perm = { execute: true, download: true }
  const id = await addUser(withShell, 'operator', 'a lever and a place to stand', { perm, commands: ['ls'] })
  await signInAs(page, withShell, 'operator', 'a lever and a place to stand')
  const { shell, command } = await showShell(page)
  const permit = (execute: boolean) =>
    callApi(withShell, 'PUT', `users/${id}`, {
      what: 'user',
      which: ['perm'],
      current_password: withShell.password,
      data: { id, perm: { ...perm, execute } },
    })
  const log = shell.getByRole('log')
  const run = async () => {
    await command.fill('ls')
    await page.keyboard.press('Enter')
  }
  await permit(false)
  await run()
  await expect(log).toContainText('You are not allowed to do this')
  await expect(shell).toHaveAttribute('aria-busy', 'false')

  await permit(true)
  let end: (socket: WebSocketRoute) => void = (socket) => void socket.close()
  await page.routeWebSocket('**/api/command/**', (socket) => end(socket))
  await run()
  await expect(log).toContainText('a proxy in front of the server')
  end = (socket) => socket.onMessage(() => void socket.close({ code: 1011 }))
  await run()
  await expect(log).toContainText('No connection to the server')
})

test('of a long output only the part in view is rendered', async ({ page, withShell }) => {
  const names = Array.from({ length: 400 }, (_, number) => `file-${1000 + number}.txt`)
  await withShell.put(Object.fromEntries(names.map((name) => [name, ''])))
  const { shell, command } = await openShell(page, withShell)
  await command.fill('ls -1')
  await page.keyboard.press('Enter')
  const log = shell.getByRole('log', { name: 'Shell output' })
  const isRendered = (text: string) =>
    log
      .getByText(text)
      .evaluate((line) => line.checkVisibility({ contentVisibilityAuto: true } as CheckVisibilityOptions))
  await expect.poll(() => isRendered('file-1399.txt')).toBe(true)
  await expect.poll(() => isRendered('file-1000.txt')).toBe(false)

  // A new command brings the end into view again. After scrolling up, new lines move nothing.
  const scrollToTop = async () => {
    await log.evaluate((element) => element.scrollTo({ top: 0 }))
    await expect.poll(() => isRendered('file-1000.txt')).toBe(true)
  }
  await scrollToTop()
  let print = (_: string) => {}
  await page.routeWebSocket('**/api/command/**', (socket) => {
    print = (line) => socket.send(line)
    socket.onMessage(() => print('begun'))
  })
  await command.fill('sleep 100')
  await page.keyboard.press('Enter')
  await expect.poll(() => isRendered('begun')).toBe(true)
  await scrollToTop()
  print('still running')
  await expect(log).toContainText('still running')
  expect(await log.evaluate((element) => element.scrollTop)).toBe(0)
})

test('a command that ends leaves the focus where something is written meanwhile', async ({ page, withShell }) => {
  await withShell.put({})
  const { shell, command } = await openShell(page, withShell)
  let end = () => {}
  await page.routeWebSocket('**/api/command/**', (socket) => {
    end = () => void socket.close({ code: 1000 })
    socket.onMessage(() => socket.send('begun'))
  })
  await command.fill('sleep 100')
  await page.keyboard.press('Enter')
  await expect(shell.getByRole('log')).toContainText('begun')
  await page.keyboard.press('ControlOrMeta+l')
  const path = page.getByRole('combobox', { name: 'Path' })
  await expect(path).toBeFocused()
  end()
  await expect(shell).toHaveAttribute('aria-busy', 'false')
  await expect(path).toBeFocused()
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
  return showShell(page)
}

async function showShell(page: Page) {
  await page.getByRole('button', { name: 'Toggle shell' }).click()
  const shell = page.getByRole('region', { name: 'Shell' })
  const command = shell.getByRole('textbox', { name: 'Command' })
  await expect(command).toBeFocused()
  return { shell, command }
}

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: phone })

  test('the line to type in stands above the keyboard, also where the phone is held sideways', async ({
    page,
    withShell,
  }) => {
    await withShell.put({ 'a.txt': 'a' })
    for (const { size, seen } of [
      { size: phone, seen: 480 },
      { size: { width: 740, height: 360 }, seen: 170 },
    ]) {
      await page.setViewportSize(size)
      await withShell.signIn(page)
      await page.getByRole('button', { name: 'More' }).tap()
      await page.getByRole('menuitem', { name: 'Toggle shell' }).tap()
      const command = page.getByRole('textbox', { name: 'Command' })
      await expect(command).toBeFocused()
      await seeAboveKeyboard(page, seen)
      const edges = async () => {
        const box = await command.boundingBox()
        return box && { isBelowTop: box.y >= 0, isAboveKeyboard: box.y + box.height <= seen }
      }
      await expect.poll(edges).toEqual({ isBelowTop: true, isAboveKeyboard: true })
      // The round button does not lie over the bars above.
      await page.getByRole('button', { name: 'More' }).click({ trial: true })
      await expect(page.getByRole('button', { name: 'New', exact: true })).toBeHidden()
      // Nor the shell over a part of the bar below.
      const parts = await page
        .locator('[data-column="files"] nav, [data-column="files"] .shell')
        .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect()).filter(({ height }) => height > 0))
      for (const [index, part] of parts.entries())
        expect(part.bottom).toBeLessThanOrEqual(parts[index + 1]?.top ?? size.height)
      // Upright, the files that a command is about can be seen.
      if (size.height > size.width) await expect(row(page, 'a.txt')).toBeInViewport({ ratio: 1 })
    }
  })
})
